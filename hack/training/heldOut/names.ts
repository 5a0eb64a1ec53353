import { germanHeldOut } from '../languages/de/heldOut/names.ts';
import { englishHeldOut } from '../languages/en/heldOut/names.ts';
import { spanishHeldOut } from '../languages/es/heldOut/names.ts';
import { frenchHeldOut } from '../languages/fr/heldOut/names.ts';
import { italianHeldOut } from '../languages/it/heldOut/names.ts';
import { dutchHeldOut } from '../languages/nl/heldOut/names.ts';
import type { Language } from '../vocabulary.ts';
import type { HeldOutNames } from './language.ts';

export type HeldOutLanguage = 'en' | Language;

/** The order of the languages affects the random draws, and so the scores. */
export const heldOutNames: Readonly<Record<HeldOutLanguage, HeldOutNames>> = {
  en: englishHeldOut,
  de: germanHeldOut,
  fr: frenchHeldOut,
  es: spanishHeldOut,
  it: italianHeldOut,
  nl: dutchHeldOut,
};
