import { biases } from '../ner/recallBiases.ts';
import type { Recall } from '../contract.ts';
import { kindNames, type TagKind } from '../ner/labels.ts';
import type { Tagger } from '../ner/tagger.ts';
import type { HeldOutText } from './heldOut/heldOut.ts';
import type { LabelledText } from './labelledText.ts';

export interface SplitScore {
  readonly precision: number;
  readonly recall: number;
  readonly f2: number;
  /** Share of values of which more than a tenth of the letters and digits was not detected as any type. */
  readonly leakedValues: number;
  /** Share of the letters and digits outside values that were detected. */
  readonly overmasked: number;
}

/** Scores on the held-out set: at each recall setting, and at `balanced` by language and by entity type. */
export interface HeldOutScores {
  readonly settings: Readonly<Record<string, SplitScore>>;
  readonly languages: Readonly<Record<string, SplitScore>>;
  readonly kinds: Readonly<Record<string, Omit<SplitScore, 'overmasked'>>>;
}

type Labelled = Pick<LabelledText, 'text' | 'spans'>;

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
const isWord = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));

/** Scores a tagger at each recall setting. */
export function splitScores(tagger: Tagger, texts: readonly Labelled[]): Record<string, SplitScore> {
  return Object.fromEntries(
    Object.keys(biases).map((recall) => [recall, splitScore(tagger, texts, recall as Recall, kindNames)]),
  );
}

export function heldOutScores(tagger: Tagger, texts: readonly HeldOutText[]): HeldOutScores {
  const byLanguage = Map.groupBy(texts, ({ language }) => language);
  return {
    settings: splitScores(tagger, texts),
    languages: Object.fromEntries(
      Array.from(byLanguage, ([language, group]) => [language, splitScore(tagger, group, 'balanced', kindNames)]),
    ),
    kinds: Object.fromEntries(
      kindNames.map((kind) => {
        const { overmasked: _, ...score } = splitScore(tagger, texts, 'balanced', [kind]);
        return [kind, score];
      }),
    ),
  };
}

/** @param kinds types of the values and spans that count. Spans of other types are neither right nor wrong. */
function splitScore(
  tagger: Tagger,
  texts: readonly Labelled[],
  recallSetting: Recall,
  kinds: readonly TagKind[],
): SplitScore {
  let [gold, found, right, leaked, innocent, masked] = [0, 0, 0, 0, 0, 0];
  for (const { text, spans } of texts) {
    const covered = new Uint8Array(text.length);
    const personal = new Uint8Array(text.length);
    const values = spans.filter(({ kind }) => kinds.includes(kind));
    gold += values.length;
    for (const { start, end } of spans) personal.fill(1, start, end);
    tagger.tag(text, biases[recallSetting], (kind, first, last) => {
      const start = tagger.tokens.start[first] ?? 0;
      const end = tagger.tokens.end[last] ?? 0;
      covered.fill(1, start, end);
      if (!kinds.includes(kind)) return;
      found++;
      const isRight = values.some((span) => {
        const shared = Math.min(end, span.end) - Math.max(start, span.start);
        return span.kind === kind && shared >= 0.5 * (Math.max(end, span.end) - Math.min(start, span.start));
      });
      right += Number(isRight);
    });
    for (const { start, end } of values) {
      let [total, undetected] = [0, 0];
      for (let at = start; at < end; at++) {
        if (!isWord(text, at)) continue;
        total++;
        undetected += covered[at] ? 0 : 1;
      }
      leaked += Number(undetected > 0.1 * total);
    }
    for (let at = 0; at < text.length; at++) {
      if (personal[at] || !isWord(text, at)) continue;
      innocent++;
      masked += covered[at] ?? 0;
    }
  }
  const precision = right / found;
  const recall = right / gold;
  return {
    precision: rounded(precision),
    recall: rounded(recall),
    f2: rounded((5 * precision * recall) / (4 * precision + recall)),
    leakedValues: rounded(leaked / gold),
    overmasked: rounded(masked / innocent),
  };
}
