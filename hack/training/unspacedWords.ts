import { flags } from '../../guardrail/detection/ner/gazetteer.ts';
import { corpus } from './lexicon.ts';

const flagOf: Readonly<Record<string, number>> = {
  f: flags.family,
  g: flags.given,
  r: flags.region,
  o: flags.ordinary,
};

/** Names, places and common words that look like names, in Chinese, Japanese and Korean, with their flags. */
export const unspacedWords = (): (readonly [word: string, flags: number])[] =>
  corpus('unspaced').map((line) => {
    const [lists = '', word = ''] = line.split(' ');
    return [word, Array.from(lists).reduce((all, list) => all | (flagOf[list] ?? 0), 0)];
  });
