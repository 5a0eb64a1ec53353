import { contextWords } from '../languages/languages.ts';

/** The text between the word for a number and the number: "number is", "no.:", "#", "Nr.", "ist", "est le". */
export const filler = String.raw`(?:[\s:#=."'()°º-]|${contextWords('documentFiller')}|n(?=[.°º])){0,12}$`;
