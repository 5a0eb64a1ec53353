/** Trains the network that finds values behind any label. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueClasses, type ValueWeights } from '../../../guardrail/detection/ner/valueNetwork.ts';
import { ValueTokens } from '../../../guardrail/detection/ner/valueTokens.ts';
import { Random } from '../random.ts';
import { BackgroundTexts } from './backgroundTexts.ts';
import { Draft, type MarkedText } from './draft.ts';
import { markedMessages } from './labels.ts';
import { NetworkTrainer, UNKNOWN, type ValueExample } from './networkTrainer.ts';
import { ValueTexts } from './valueTexts.ts';

const counts = { values: 120_000, background: 50_000, messages: 30 } as const;
const seeds = { texts: 20_261_128, order: 5, kept: 77 } as const;
const epochs = 1;

/** Names of people, from the lists of all languages. */
const namesOf = (): string[] =>
  globSync(['languages/*/givenNames.txt', 'languages/*/familyNames.txt'], { cwd: join(import.meta.dirname, '..') })
    .sort()
    .flatMap((file) => readFileSync(join(import.meta.dirname, '..', file), 'utf8').split('\n'))
    .filter((name) => name !== '');

/** The features and classes of the tokens of a text. */
export function exampleOf(tokens: ValueTokens, { text, spans }: MarkedText): ValueExample {
  tokens.read(text);
  const { count } = tokens;
  const classes = new Uint8Array(count);
  for (const { start, end, kind } of spans) {
    const index = kind === undefined ? UNKNOWN : valueClasses.indexOf(kind);
    for (let at = 0; at < count; at++)
      if ((tokens.start[at] ?? 0) < end && (tokens.end[at] ?? 0) > start) classes[at] = index;
  }
  const first = tokens.first.slice(0, count + 1);
  return { count, first, features: tokens.features.slice(0, first[count]), classes };
}

/** A message with marks. Its values get other digits and capitals, so that their forms are learned. */
function fromMarks(message: string, random: Random): MarkedText {
  const draft = new Draft();
  let last = 0;
  for (const { 0: whole, 1: word = '', 2: value = '', index } of message.matchAll(/\[([A-Z_]+) ([^\]]+)\]/g)) {
    const kind = valueClasses.find((one) => one === word);
    draft.put(message.slice(last, index));
    const other = value
      .replace(/\d/g, () => random.format('#'))
      .replace(/[A-Z](?![a-z])/g, (letter) => (random.chance(0.4) ? random.format('?') : letter));
    draft.value(kind === undefined ? value : other, kind ?? (word === 'P' ? 'O' : undefined));
    last = index + whole.length;
  }
  return draft.put(message.slice(last));
}

/** Generates texts with values, and texts without. */
export function valueTexts(seed: number, share: number): MarkedText[] {
  const random = new Random(seed);
  const background = new BackgroundTexts(random, namesOf());
  const writer = new ValueTexts(random, { names: background.names, neighbour: () => background.neighbour() });
  const part = (count: number): number => Math.max(1, Math.round(count * share));
  return [
    ...Array.from({ length: part(counts.values) }, () => writer.text()),
    ...Array.from({ length: part(counts.background) }, () => background.text()),
    ...Array.from({ length: part(counts.messages) }).flatMap(() =>
      markedMessages().map((message) => fromMarks(message, random)),
    ),
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

export function trainValues(
  options: { readonly seed?: number; readonly share?: number } = {},
  log: (line: string) => void = () => undefined,
): ValueWeights {
  const offset = 1_000_003 * (options.seed ?? 0);
  const tokens = new ValueTokens();
  const examples = valueTexts(seeds.texts + offset, options.share ?? 1).map((text) => exampleOf(tokens, text));
  log(`${examples.length} texts`);
  const trainer = new NetworkTrainer(new Random(seeds.order + offset));
  trainer.train(examples, epochs, log);
  return trainer.weights();
}
