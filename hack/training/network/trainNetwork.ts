/** Trains the network that finds values behind any label, and judges who is private. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkFiles, tokenClasses, type NetworkWeights } from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { NetworkTokens } from '../../../guardrail/detection/ner/networkTokens.ts';
import { Random } from '../random.ts';
import { BackgroundTexts } from './backgroundTexts.ts';
import type { MarkedClass, MarkedText } from './draft.ts';
import { networkMessages } from './messages.ts';
import { registerTexts } from './registerTexts.ts';
import type { Knowledge } from '../spanExamples.ts';
import { Gazetteer } from '../../../guardrail/detection/ner/gazetteer.ts';
import { buildGazetteer, withHiddenWords } from '../gazetteers.ts';
import { buildKnownNames, withoutHiddenNames } from '../knownNames.ts';
import { readWordNet, type WordNet } from '../wordNet.ts';
import { NetworkTrainer, NO_VALUE, UNKNOWN, type NetworkExample } from './networkTrainer.ts';
import { ValueTexts } from './valueTexts.ts';

const counts = { values: 120_000, background: 50_000 } as const;
const seeds = { texts: 20_261_128, order: 5, kept: 77 } as const;
const epochs = 1;
/** How many networks are trained. Each draws texts of its own. */
const NETWORKS = Object.keys(networkFiles).length;

/** Names of people, from the lists of all languages. */
const namesOf = (): string[] =>
  globSync(['languages/*/givenNames.txt', 'languages/*/familyNames.txt'], { cwd: join(import.meta.dirname, '..') })
    .sort()
    .flatMap((file) => readFileSync(join(import.meta.dirname, '..', file), 'utf8').split('\n'))
    .filter((name) => name !== '');

/** The features and classes of the tokens of a text. */
export function exampleOf(tokens: NetworkTokens, { text, spans, others = 'O' }: MarkedText): NetworkExample {
  tokens.read(text);
  const { count } = tokens;
  const classOf = (kind: MarkedClass | undefined): number =>
    kind === undefined ? UNKNOWN : kind === 'NO_VALUE' ? NO_VALUE : tokenClasses.indexOf(kind);
  const classes = new Uint8Array(count).fill(classOf(others));
  for (const { start, end, kind } of spans) {
    const index = classOf(kind);
    for (let at = 0; at < count; at++)
      if ((tokens.start[at] ?? 0) < end && (tokens.end[at] ?? 0) > start) classes[at] = index;
  }
  const first = tokens.first.slice(0, count + 1);
  return { count, first, features: tokens.features.slice(0, first[count]), classes };
}

/** Generates texts with values and names, and texts without. */
export function networkTexts(seed: number, share: number, wordNet: WordNet, lists: Knowledge): MarkedText[] {
  const random = new Random(seed);
  const background = new BackgroundTexts(random, namesOf());
  const writer = new ValueTexts(random, { names: background.names, neighbour: () => background.neighbour() });
  const part = (count: number): number => Math.max(1, Math.round(count * share));
  // These texts do not say which names are private.
  const withAnyNames = ({ text, spans }: MarkedText): MarkedText => ({ text, spans, others: 'NO_VALUE' });
  return [
    ...Array.from({ length: part(counts.values) }, () => withAnyNames(writer.text())),
    ...Array.from({ length: part(counts.background) }, () => withAnyNames(background.text())),
    ...networkMessages(random, lists, share),
    ...registerTexts(random, seed + 1, wordNet, share),
  ];
}

/** Texts with labels that no training reads, to compare networks. */
export function keptTexts(count: number): MarkedText[] {
  const random = new Random(seeds.kept);
  const background = new BackgroundTexts(random, namesOf());
  const supplies = { names: background.names, neighbour: () => background.neighbour() };
  const writer = new ValueTexts(random, supplies, { kept: true });
  return Array.from({ length: count }, () => writer.text());
}

export function trainNetwork(
  options: { readonly seed?: number; readonly share?: number; readonly which?: number } = {},
  log: (line: string) => void = () => undefined,
): NetworkWeights {
  const offset = 1_000_003 * (NETWORKS * (options.seed ?? 0) + (options.which ?? 0));
  const wordNet = readWordNet();
  const lists = {
    gazetteer: Gazetteer.of(withHiddenWords(buildGazetteer(wordNet), wordNet)),
    knownNames: Gazetteer.of(withoutHiddenNames(buildKnownNames(wordNet))),
  };
  const tokens = new NetworkTokens(lists);
  const examples = networkTexts(seeds.texts + offset, options.share ?? 1, wordNet, lists).map((text) =>
    exampleOf(tokens, text),
  );
  log(`${examples.length} texts`);
  const trainer = new NetworkTrainer(new Random(seeds.order + offset));
  trainer.train(examples, epochs, log);
  return trainer.weights();
}
