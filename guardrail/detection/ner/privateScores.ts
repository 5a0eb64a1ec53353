/**
 * How likely the names of a text are private. Two models of different kinds judge each: the classifier by features of the name
 * and the words around it, and the network by the whole text. Their mean is better than either. A text is seldom about private
 * and public people at once, so what is likely of the others counts too: among characters of a novel, another name is one.
 */

/** What the models say of a candidate. */
export interface Opinions {
  /** The probability of the classifier that it is private. */
  readonly classifier: number;
  /** The same of the network. */
  readonly network: number;
  /** Whether one of them takes it for the name of a person, private or public. */
  readonly isPerson: boolean;
}

/** The share of the network in the mean of the log odds. */
const NETWORK = 0.4;
/** How much the mean of the others counts, and its limits in log odds. */
const OTHERS = 0.4;
const MOST_OTHERS = 3;
/** The weight of the assumption that the others are as often private as not, in candidates. */
const PRIOR = 2;
/** Neither model is ever surer than this. */
const LEAST = 1e-3;

/** The log odds of a probability. */
export function logOdds(probability: number): number {
  const bounded = Math.max(LEAST, Math.min(1 - LEAST, probability));
  return Math.log(bounded / (1 - bounded));
}

const probabilityOf = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** @returns the probability of each candidate of a text that it is private. */
export function privateScores(candidates: readonly Opinions[]): number[] {
  const odds = candidates.map(
    ({ classifier, network }) => (1 - NETWORK) * logOdds(classifier) + NETWORK * logOdds(network),
  );
  let [sum, persons] = [0, 0];
  for (const [at, { isPerson }] of candidates.entries()) {
    if (!isPerson) continue;
    sum += odds[at] ?? 0;
    persons++;
  }
  return candidates.map(({ isPerson }, at) => {
    const own = odds[at] ?? 0;
    if (!isPerson) return probabilityOf(own);
    const others = (sum - own) / (persons - 1 + PRIOR);
    return probabilityOf(own + OTHERS * Math.max(-MOST_OTHERS, Math.min(MOST_OTHERS, others)));
  });
}
