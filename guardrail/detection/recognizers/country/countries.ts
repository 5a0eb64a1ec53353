import { austria } from './at.ts';
import { australia } from './au.ts';
import { belgium } from './be.ts';
import { bulgaria } from './bg.ts';
import { brazil } from './br.ts';
import { canada } from './ca.ts';
import { switzerland } from './ch.ts';
import { chile } from './cl.ts';
import { czechia } from './cz.ts';
import { germany } from './de.ts';
import { denmark } from './dk.ts';
import { estonia } from './ee.ts';
import { spain } from './es.ts';
import { finland } from './fi.ts';
import { france } from './fr.ts';
import { unitedKingdom } from './gb.ts';
import { greece } from './gr.ts';
import { croatia } from './hr.ts';
import { ireland } from './ie.ts';
import { israel } from './il.ts';
import { india } from './in.ts';
import { italy } from './it.ts';
import { southKorea } from './kr.ts';
import { mexico } from './mx.ts';
import { netherlands } from './nl.ts';
import { norway } from './no.ts';
import { poland } from './pl.ts';
import { portugal } from './pt.ts';
import { romania } from './ro.ts';
import { sweden } from './se.ts';
import { singapore } from './sg.ts';
import { turkey } from './tr.ts';
import { unitedStates } from './us.ts';
import { southAfrica } from './za.ts';
import type { Country } from './country.ts';
import { vatOnly } from './vatOnly.ts';

/** All countries, one per line. If a number is valid in several countries, the first one determines its type. */
export const countries: readonly Country[] = [
  unitedStates,
  unitedKingdom,
  canada,
  germany,
  france,
  netherlands,
  belgium,
  sweden,
  denmark,
  norway,
  poland,
  switzerland,
  austria,
  czechia,
  portugal,
  brazil,
  australia,
  india,
  southKorea,
  southAfrica,
  turkey,
  israel,
  romania,
  bulgaria,
  estonia,
  greece,
  croatia,
  spain,
  italy,
  finland,
  singapore,
  mexico,
  chile,
  ireland,
  ...vatOnly,
];
