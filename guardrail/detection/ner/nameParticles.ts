import { contextWords } from '../languages/languages.ts';
import { wordHash } from './tokens.ts';

/** The hashes of words that join the parts of a name: "van", "de la". */
export const nameParticles: ReadonlySet<number> = new Set(contextWords('nameParticle').split('|').map(wordHash));
