/** Texts from which the network learns who is private: the messages of the classifier, alone and joined. */
import { Generator } from '../generate.ts';
import type { LabelledText } from '../labelledText.ts';
import type { Random } from '../random.ts';
import type { WordNet } from '../wordNet.ts';
import { Draft, type MarkedText } from './draft.ts';

/** The labels of the generator as those of the network. */
function ofLabelled({ text, spans, values = [] }: LabelledText): MarkedText {
  const marked = spans.map(({ start, end, kind, type }) => ({
    start,
    end,
    kind:
      type === 'PERSON' || type === 'ADDRESS'
        ? type
        : type === undefined && (kind === 'PERSON' || kind === 'ADDRESS')
          ? undefined
          : ('O' as const),
  }));
  const unknown = [
    ...values,
    ...Array.from(text.matchAll(/\S*\d\S*/g), ({ 0: { length }, index }) => ({ start: index, end: index + length })),
  ]
    .filter(({ start, end }) => !spans.some((span) => span.start < end && span.end > start))
    .map(({ start, end }) => ({ start, end, kind: undefined }));
  return { text, spans: [...marked, ...unknown] };
}

/** Joins neighbours: texts of several lines, as they are sent. */
function joinedTexts(texts: readonly MarkedText[], random: Random): MarkedText[] {
  const joined: MarkedText[] = [];
  for (let at = 0; at < texts.length;) {
    const draft = new Draft();
    for (let left = random.chance(0.35) ? 1 : random.int(2, 5); left > 0 && at < texts.length; left--) {
      if (draft.text !== '') draft.put(random.pick([' ', '\n', '\n', '\n\n']));
      const next = texts[at++];
      if (next) draft.add(next);
    }
    joined.push({ text: draft.text, spans: draft.spans });
  }
  return joined;
}

/** A text without private persons. An unknown name in it is public, too. */
const withoutPrivate = ({ text, spans }: MarkedText): MarkedText => ({
  text,
  spans: spans.filter(({ kind }) => kind === undefined),
});

/** Texts about private persons and texts without. */
export function registerTexts(random: Random, seed: number, wordNet: WordNet, share: number): MarkedText[] {
  const generator = new Generator(seed, 'train', wordNet, share);
  const of = (texts: readonly LabelledText[]): MarkedText[] => random.shuffle(texts.map(ofLabelled));
  const personal = of(generator.registers('personal', 8));
  const open = of([
    ...generator.registers('public', 8),
    ...generator.templates('negatives', 3),
    ...generator.templates('science', 3),
    ...generator.templates('notices', 3),
  ]).map(withoutPrivate);
  const plain = of([
    ...generator.catalogues(3000),
    ...generator.code(),
    ...generator.foreign(),
    ...generator.prose('prose', 2),
    ...generator.dictionary.explanations(4000),
    ...generator.plain(2),
  ]);
  const mixed = random.shuffle([...personal.slice(0, personal.length / 6), ...open.slice(0, open.length / 6)]);
  return [...joinedTexts(personal, random), ...joinedTexts(open, random), ...joinedTexts(mixed, random), ...plain];
}
