import type { Gazetteer } from '../../guardrail/detection/ner/gazetteer.ts';
import { buckets, mostFeatures, offsets, pairCount } from '../../guardrail/detection/kernel/numbers.ts';
import { createKernel, numbersAt } from '../../guardrail/detection/kernelInstance.ts';
import { beginOf, insideOf, labelCount } from '../../guardrail/detection/ner/labels.ts';
import type { Weights } from '../../guardrail/detection/ner/model.ts';
import { Tokens } from '../../guardrail/detection/ner/tokens.ts';
import { transitionAt, transitionCount } from '../../guardrail/detection/ner/transitions.ts';
import type { LabelledText } from './labelledText.ts';
import type { Random } from './random.ts';
import { Viterbi } from './viterbi.ts';

/** A training text: the features of its tokens in sequence. */
interface Example {
  readonly count: number;
  readonly gold: Uint8Array;
  readonly gaps: Uint8Array;
  readonly features: Int32Array;
  /** Index of the first feature of each token, and the total at the end. */
  readonly starts: Int32Array;
}

/** Extracts features from labelled texts, in the same way as the tagger. */
export function examplesOf(texts: readonly LabelledText[], gazetteer: Gazetteer): Example[] {
  const kernel = createKernel();
  const tokens = new Tokens(kernel);
  const byWord = new Map<string, Int32Array[]>();
  return texts.map(({ text, spans }) => {
    tokens.read(text);
    const { count } = tokens;
    const features = numbersAt(kernel, kernel.featuresAt, mostFeatures);
    const ends = numbersAt(kernel, kernel.endsAt, offsets);
    const perWord: Int32Array[][] = [];
    for (let token = 0; token < count; token++) {
      const known = gazetteer.lookup(tokens.word[token] ?? 0);
      kernel.setKnown(token, known);
      const exact = text.slice(tokens.start[token], tokens.end[token]);
      let ofWord = byWord.get(exact);
      if (!ofWord) {
        kernel.wordFeatures(token, known);
        ofWord = Array.from(ends, (end, offset) => features.slice(offset === 0 ? 0 : ends[offset - 1], end));
        byWord.set(exact, ofWord);
      }
      perWord.push(ofWord);
    }
    const all: number[] = [];
    const starts = new Int32Array(count + 1);
    for (let token = 0; token < count; token++) {
      starts[token] = all.length;
      for (let offset = 0; offset < offsets; offset++) {
        const seen = perWord[token + offset - 2]?.[offset];
        if (seen) for (const feature of seen) all.push(feature);
      }
      kernel.pairFeatures(token, count, kernel.featuresAt.value);
      for (const feature of features.subarray(0, pairCount)) all.push(feature);
    }
    starts[count] = all.length;
    const gold = new Uint8Array(count);
    for (const { start, end, kind } of spans) {
      let first = true;
      for (let token = 0; token < count; token++) {
        if ((tokens.start[token] ?? 0) < start || (tokens.end[token] ?? 0) > end) continue;
        gold[token] = first ? beginOf(kind) : insideOf(kind);
        first = false;
      }
    }
    return {
      count,
      gold,
      gaps: tokens.gap.slice(0, count),
      features: Int32Array.from(all),
      starts,
    };
  });
}

/** Added to the scores of wrong labels in training, so that the correct label must win by a margin. A missed name costs more. */
const margin = { wrong: 4, missed: 8 };

/** Units of the stored weights per training unit. */
const scale = 16;
/** The largest stored weight. It keeps one feature from deciding alone. */
const maxWeight = 900;

/**
 * Trains a structured averaged perceptron with a margin. It uses only integers, so the result is the same on every machine.
 * @returns weights scaled to 16 bits.
 */
export function train(
  examples: readonly Example[],
  epochs: number,
  random: Random,
  report: (line: string) => void,
): Weights {
  const learner = new Learner();
  const order = examples.map((_, index) => index);
  for (let epoch = 1; epoch <= epochs; epoch++) {
    random.shuffle(order);
    let wrong = 0;
    let seen = 0;
    for (const index of order) {
      const example = examples[index];
      if (!example || example.count === 0) continue;
      wrong += learner.learn(example);
      seen += example.count;
    }
    report(`epoch ${epoch}: ${((100 * wrong) / seen).toFixed(2)} % of ${seen} tokens inside the margin`);
  }
  return learner.averaged();
}

/** The current weights, and the sums of their changes over time for the average. */
class Learner {
  private readonly weights = new Int32Array(buckets * labelCount);
  private readonly totals = new Float64Array(buckets * labelCount);
  private readonly transitions = new Int32Array(transitionCount);
  private readonly transitionTotals = new Float64Array(transitionCount);
  private readonly viterbi = new Viterbi();
  private clock = 1;

  /** @returns the number of wrong labels. */
  learn(example: Example): number {
    const { count, gold, gaps } = example;
    const guess = new Uint8Array(count);
    this.viterbi.decode(0, count, count, this.scoresWithMargin(example), gaps, this.transitions, guess);
    let wrong = 0;
    for (let token = 0; token < count; token++) {
      const right = gold[token] ?? 0;
      const guessed = guess[token] ?? 0;
      if (token > 0) {
        const good = transitionAt(gaps[token] ?? 0, gold[token - 1] ?? 0, right);
        const bad = transitionAt(gaps[token] ?? 0, guess[token - 1] ?? 0, guessed);
        if (good !== bad) this.moveTransition(good, bad);
      }
      if (right === guessed) continue;
      wrong++;
      this.moveWeights(example, token, right, guessed);
    }
    this.clock++;
    return wrong;
  }

  /** The scores of all labels, with the margin added to the wrong ones. */
  private scoresWithMargin({ count, gold, features, starts }: Example): Int32Array {
    const { weights } = this;
    const scores = new Int32Array(count * labelCount);
    for (let token = 0; token < count; token++) {
      const to = token * labelCount;
      for (let at = starts[token] ?? 0; at < (starts[token + 1] ?? 0); at++) {
        const from = (features[at] ?? 0) * labelCount;
        for (let label = 0; label < labelCount; label++)
          scores[to + label] = (scores[to + label] ?? 0) + (weights[from + label] ?? 0);
      }
      const right = gold[token] ?? 0;
      for (let label = 0; label < labelCount; label++) {
        if (label !== right)
          scores[to + label] = (scores[to + label] ?? 0) + (label === 0 ? margin.missed : margin.wrong);
      }
    }
    return scores;
  }

  private moveTransition(good: number, bad: number): void {
    const { transitions, transitionTotals, clock } = this;
    transitions[good] = (transitions[good] ?? 0) + 1;
    transitionTotals[good] = (transitionTotals[good] ?? 0) + clock;
    transitions[bad] = (transitions[bad] ?? 0) - 1;
    transitionTotals[bad] = (transitionTotals[bad] ?? 0) - clock;
  }

  private moveWeights({ features, starts }: Example, token: number, right: number, guessed: number): void {
    const { weights, totals, clock } = this;
    for (let at = starts[token] ?? 0; at < (starts[token + 1] ?? 0); at++) {
      const from = (features[at] ?? 0) * labelCount;
      weights[from + right] = (weights[from + right] ?? 0) + 1;
      totals[from + right] = (totals[from + right] ?? 0) + clock;
      weights[from + guessed] = (weights[from + guessed] ?? 0) - 1;
      totals[from + guessed] = (totals[from + guessed] ?? 0) - clock;
    }
  }

  averaged(): Weights {
    const { weights, totals, transitions, transitionTotals, clock } = this;
    const mean = (weight: number, total: number): number => {
      const value = Math.round((weight - total / clock) * scale);
      // Drop weights that training hardly changed: they are noise and take space.
      return Math.abs(value) < scale / 8 ? 0 : value;
    };
    const rows = Int16Array.from(weights, (weight, at) =>
      Math.max(-maxWeight, Math.min(maxWeight, mean(weight, totals[at] ?? 0))),
    );
    // Drop features with small weights. Most features are such: they come from one or two training texts and do not help.
    for (let from = 0; from < rows.length; from += labelCount) {
      const row = rows.subarray(from, from + labelCount);
      if (row.every((weight) => Math.abs(weight) <= 1.75 * scale)) row.fill(0);
    }
    return {
      rows,
      transitions: Int16Array.from(transitions, (weight, at) => mean(weight, transitionTotals[at] ?? 0)),
      scale: scale * 8,
    };
  }
}
