import { contextWords } from '../languages/languages.ts';
import type { Decision, Judged } from './spanClassifier.ts';
import type { Tokens } from './tokens.ts';

/** The score of a name that only its list makes one. */
const SCORE = 0.5;
/** The least probability of a person in a list that has one. */
const LEAST = 0.05;
/** The same for a name that everybody knows, or an ordinary word. */
const LEAST_COMMON = 0.25;
/** From this probability on, an organisation is one in a list of people, too, and so is a place that does not end it. */
const SURE = 0.5;
/** The least probability of the networks that a town is a person, where all others of its list are. */
const LEAST_NETWORK = 0.4;

const conjunction = new RegExp(String.raw`^,? (?:${contextWords('and')}) $`);
/** The longest text between two names of a list, in UTF-16 code units. */
const WIDTH = 8;

/** The lists in a text that end with "and" and another name: the indexes of their first and last candidates. */
function listsOf(tokens: Tokens, text: string, judged: readonly Judged[]): (readonly [first: number, last: number])[] {
  const lists: [number, number][] = [];
  let first = 0;
  for (let at = 0; at + 1 < judged.length; at++) {
    const from = tokens.end[judged[at]?.last ?? 0] ?? 0;
    const to = tokens.start[judged[at + 1]?.first ?? 0] ?? 0;
    if (to - from === 2 && text.startsWith(', ', from)) continue;
    if (to - from > 2 && to - from <= WIDTH && conjunction.test(text.slice(from, to))) lists.push([first, at + 1]);
    first = at + 1;
  }
  return lists;
}

/** Whether a candidate may be a person, because another one in its list is. */
function mayBePerson({ isCommon, probabilities }: Judged): boolean {
  const { person, publicPerson, address, location, organization } = probabilities;
  const isOther = person < Math.max(publicPerson, address, location + organization);
  return !isOther && person >= (isCommon ? LEAST_COMMON : LEAST);
}

/** Whether a candidate is a person, because all others in its list are. */
const isPersonBesideOthers = (
  { hasNumber, network, probabilities: { location, organization } }: Judged,
  isLast: boolean,
): boolean =>
  !hasNumber && organization < SURE && (isLast || location + organization < SURE || network.person >= LEAST_NETWORK);

/**
 * Decides about doubtful names by the list in which they stand. A family name that is a town, too, is one of a person in
 * "Rudi, Jackson and Campos".
 * @param judged the candidates in the order of the text
 * @param decisions what each candidate is, without regard to lists
 */
export function withListedNames(
  tokens: Tokens,
  text: string,
  judged: readonly Judged[],
  decisions: readonly (Decision | undefined)[],
): readonly (Decision | undefined)[] {
  const lists = listsOf(tokens, text, judged);
  if (lists.length === 0) return decisions;
  const all = [...decisions];
  for (const [first, last] of lists) {
    const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const others = indexes.filter((index) => all[index]?.type !== 'PERSON');
    if (others.length === indexes.length) continue;
    const left: Judged[] = [];
    for (const index of others) {
      const one = judged[index];
      if (!one) continue;
      if (mayBePerson(one)) all[index] = { type: 'PERSON', score: Math.max(SCORE, one.probabilities.person) };
      else left.push(one);
    }
    const [only] = left;
    if (indexes.length > 2 && left.length === 1 && only && isPersonBesideOthers(only, only === judged[last]))
      all[judged.indexOf(only, first)] = { type: 'PERSON', score: SCORE };
  }
  return all;
}
