/** Words before the names of people, and what they stand before that is no name. */
import { contextWords } from './languages/languages.ts';
import { byEnding } from './text/ending.ts';

/** In any case. With Node 26.10, `(?i:…)` loses its effect in a process with very many patterns. */
const inAnyCase = (words: string): string => words.replace(/\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** A courtesy title in any case, without its full stop: "Mrs", "HERR". */
export const courtesyTitle = `(?:${inAnyCase(byEnding(contextWords('courtesyTitle')))})`;

/** Offices and professions that stand behind a courtesy title in place of a name: "Herr Präsident", "Mr. President". */
const OFFICES: ReadonlySet<string> = new Set(
  [
    'abgeordnete abgeordneter botschafter bundeskanzler bundesminister bundespräsident bürgermeister dekan direktor doktor general hauptmann kanzler kapitän kollege kommissar konsul landrat minister ministerpräsident nachbar notar ober oberbürgermeister oberst pfarrer pastor präsident professor rechtsanwalt rektor staatsanwalt vizepräsident vorsitzende vorsitzender',
    'ambassador chair chairman chairperson chairwoman commissioner director doctor governor justice mayor president premier prime professor secretary speaker vice',
    'ministre président présidente docteur directeur directrice maire professeur proviseur',
    'alcalde alcaldesa director directora doctor doctora embajador juez ministra ministro presidenta presidente profesor profesora rector',
    'avvocato direttore direttrice dottore dottoressa giudice ministro preside presidente professore professoressa sindaco',
    'burgemeester directeur dokter minister president voorzitter',
    'doutor doutora diretor diretora juiz ministra ministro prefeito presidente professor professora',
    'dyrektor doktor minister premier prezes prezydent profesor redaktor',
    'statsminister talman',
  ].flatMap((offices) => offices.split(' ')),
);
/** The same for women in German: "Frau Kollegin", "Frau Ministerin". */
const OFFICE_OF_WOMAN = /^\p{L}{4,}(?:er|or|ent|at|ist|eg|än|ar|är)in$/iu;

/** Whether a word behind a courtesy title is an office or a profession. */
export const isOffice = (word: string): boolean => OFFICES.has(word.toLowerCase()) || OFFICE_OF_WOMAN.test(word);
