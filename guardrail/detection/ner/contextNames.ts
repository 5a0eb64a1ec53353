import type { Span } from '../contract.ts';
import type { Keywords } from '../recognizers/keywords.ts';
import { accountNames } from './accountNames.ts';
import { titledWords } from './titledWords.ts';
import type { Tokens } from './tokens.ts';

/** The score of a name that is found by what is around it. */
const SCORE = 0.8;
/** Behind a courtesy title, a name that is public with a lower score is private: "Herrn Koch". */
const SURELY_PUBLIC = 0.65;

/**
 * Adds the names that the model does not propose: words behind courtesy titles, and names of accounts.
 * @param tokens as the tagger left them
 * @param keywords in the text
 * @param found by the model
 */
export function withContextNames(tokens: Tokens, text: string, keywords: Keywords, found: readonly Span[]): Span[] {
  const names = [...found];
  const add = ({ start, end }: Pick<Span, 'start' | 'end'>, type: string, rule: string): void => {
    names.push({ start, end, type, score: SCORE, detector: 'builtin', rule });
  };
  for (const place of titledWords(tokens, text)) {
    const at = names.findIndex(({ start, end }) => start < place.end && end > place.start);
    const known = names[at];
    if (known === undefined) add(place, 'PERSON', 'titledWord');
    else if (known.type === 'PUBLIC_PERSON' && known.score < SURELY_PUBLIC)
      names[at] = { ...known, type: 'PERSON', rule: 'titledWord' };
  }
  for (const place of accountNames(tokens, text, keywords)) add(place, 'USERNAME', 'accountName');
  return names;
}
