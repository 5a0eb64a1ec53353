import type { Recall } from '../../guardrail/detection/contract.ts';
import type { EntityFinder } from '../../guardrail/detection/ner/entityFinder.ts';
import type { NameType } from '../../guardrail/detection/ner/entityClasses.ts';
import { kindNames, type TagKind } from '../../guardrail/detection/ner/labels.ts';
import { thresholds } from '../../guardrail/detection/ner/thresholds.ts';
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

/** The kinds of names that a type stands for. A town of a private person is an address. */
const kindsOf: Readonly<Record<NameType, readonly TagKind[]>> = {
  PERSON: ['PERSON'],
  PUBLIC_PERSON: ['PERSON'],
  ADDRESS: ['ADDRESS', 'LOCATION'],
  LOCATION: ['LOCATION', 'ADDRESS'],
  ORGANIZATION: ['ORGANIZATION'],
};

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
const isWord = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));

/** Scores the finder at each recall setting. */
export function splitScores(finder: EntityFinder, texts: readonly Labelled[]): Record<string, SplitScore> {
  return Object.fromEntries(
    Object.keys(thresholds).map((recall) => [recall, splitScore(finder, texts, recall as Recall, kindNames)]),
  );
}

export function heldOutScores(finder: EntityFinder, texts: readonly HeldOutText[]): HeldOutScores {
  const byLanguage = Map.groupBy(texts, ({ language }) => language);
  return {
    settings: splitScores(finder, texts),
    languages: Object.fromEntries(
      Array.from(byLanguage, ([language, group]) => [language, splitScore(finder, group, 'balanced', kindNames)]),
    ),
    kinds: Object.fromEntries(
      kindNames.map((kind) => {
        const { overmasked: _, ...score } = splitScore(finder, texts, 'balanced', [kind]);
        return [kind, score];
      }),
    ),
  };
}

/** @param kinds types of the values and spans that count. Spans of other types are neither right nor wrong. */
function splitScore(
  finder: EntityFinder,
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
    for (const { start, end, type } of finder.find(text, recallSetting)) {
      covered.fill(1, start, end);
      const isRightKind = ({ kind }: { kind: TagKind }): boolean => kindsOf[type].includes(kind);
      if (!kinds.some((kind) => kindsOf[type].includes(kind))) continue;
      found++;
      const isRight = values.some((span) => {
        const shared = Math.min(end, span.end) - Math.max(start, span.start);
        return isRightKind(span) && shared >= 0.5 * (Math.max(end, span.end) - Math.min(start, span.start));
      });
      right += Number(isRight);
    }
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
