import { biases } from '../biases.ts';
import type { Tagger } from '../tagger/tagger.ts';
import type { LabelledText } from './generate.ts';

export interface BlindScore {
  readonly precision: number;
  readonly recall: number;
  readonly f2: number;
  /** Share of values of which more than a tenth of the letters and digits was not found as anything. */
  readonly leakedValues: number;
  /** Share of innocent letters and digits that were found as something. */
  readonly overmasked: number;
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
const isWord = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));

/** Scores a tagger at each recall setting on texts that it was not trained on. */
export function blindScores(tagger: Tagger, texts: readonly LabelledText[]): Record<string, BlindScore> {
  return Object.fromEntries(Object.entries(biases).map(([recall, bias]) => [recall, blindScore(tagger, texts, bias)]));
}

function blindScore(tagger: Tagger, texts: readonly LabelledText[], bias: number): BlindScore {
  let [gold, found, right, leaked, innocent, destroyed] = [0, 0, 0, 0, 0, 0];
  for (const { text, spans } of texts) {
    const covered = new Uint8Array(text.length);
    const personal = new Uint8Array(text.length);
    gold += spans.length;
    for (const { start, end } of spans) personal.fill(1, start, end);
    tagger.tag(text, bias, (kind, first, last) => {
      const start = tagger.tokens.start[first] ?? 0;
      const end = tagger.tokens.end[last] ?? 0;
      covered.fill(1, start, end);
      found++;
      const isRight = spans.some((span) => {
        const shared = Math.min(end, span.end) - Math.max(start, span.start);
        return span.kind === kind && shared >= 0.5 * (Math.max(end, span.end) - Math.min(start, span.start));
      });
      right += Number(isRight);
    });
    for (const { start, end } of spans) {
      let [total, open] = [0, 0];
      for (let at = start; at < end; at++) {
        if (!isWord(text, at)) continue;
        total++;
        open += covered[at] ? 0 : 1;
      }
      leaked += Number(open > 0.1 * total);
    }
    for (let at = 0; at < text.length; at++) {
      if (personal[at] || !isWord(text, at)) continue;
      innocent++;
      destroyed += covered[at] ?? 0;
    }
  }
  const precision = right / found;
  const recall = right / gold;
  return {
    precision: rounded(precision),
    recall: rounded(recall),
    f2: rounded((5 * precision * recall) / (4 * precision + recall)),
    leakedValues: rounded(leaked / gold),
    overmasked: rounded(destroyed / innocent),
  };
}
