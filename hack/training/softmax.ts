import { classCount, entityClasses } from '../../guardrail/detection/ner/entityClasses.ts';
import { rowsLength } from '../../guardrail/detection/ner/spanClassifier.ts';
import type { Random } from './random.ts';
import { NOT_PRIVATE, type SpanExamples } from './spanExamples.ts';

/** The result of training. */
export interface TrainedClassifier {
  /** Weights in rows of `classCount`, one row per feature. */
  readonly rows: Int8Array;
  /** The value of one step of a weight, in units of log odds. */
  readonly unit: number;
}

/** How fast the weights follow an example at the beginning. It falls to a tenth at the end. */
const RATE = 0.02;
/** The share of features that each example leaves out, so that no single feature decides alone. */
const DROPOUT = 0.1;
/** The classes of what is not private. */
const openClasses = entityClasses.flatMap((name, each) => (name === 'PERSON' || name === 'ADDRESS' ? [] : [each]));
/** The number of examples between two states of the weights. The mean of the later states is the result. */
const SNAPSHOT = 5000;
/** The largest weight in log odds. */
const MOST = 3;

/**
 * Trains the classifier: multinomial logistic regression by stochastic gradient descent, in an order given by `random`.
 */
export function trainClassifier(
  { classes, features }: SpanExamples,
  epochs: number,
  random: Random,
  report: (line: string) => void,
): TrainedClassifier {
  const weights = new Float64Array(rowsLength);
  const order = classes.map((_, index) => index);
  const odds = new Float64Array(classCount);
  const sum = new Float64Array(rowsLength);
  let snapshots = 0;
  let seen = 0;
  for (let epoch = 1; epoch <= epochs; epoch++) {
    random.shuffle(order);
    let loss = 0;
    let wrong = 0;
    for (const index of order) {
      if (++seen % SNAPSHOT === 0 && epoch > 1) {
        snapshots++;
        for (let place = 0; place < rowsLength; place++) sum[place] = (sum[place] ?? 0) + (weights[place] ?? 0);
      }
      const own = (features[index] ?? new Int32Array(0)).filter(() => random.next() >= DROPOUT);
      const right = classes[index] ?? 0;
      softmax(weights, own, odds);
      // Each of several classes is as right as it is likely among them.
      const isOneOf = right === NOT_PRIVATE;
      const total = isOneOf ? openClasses.reduce((all, each) => all + (odds[each] ?? 0), 0) : (odds[right] ?? 0);
      loss -= Math.log(Math.max(total, 1e-9));
      if (isOneOf ? total < 0.5 : odds.some((value) => value > total)) wrong++;
      const rate = RATE * (1 - (0.9 * seen) / (epochs * order.length));
      for (const feature of own) {
        const from = feature * classCount;
        for (let each = 0; each < classCount; each++) {
          const likely = odds[each] ?? 0;
          const wanted = isOneOf
            ? openClasses.includes(each)
              ? likely / Math.max(total, 1e-9)
              : 0
            : each === right
              ? 1
              : 0;
          const gradient = likely - wanted;
          weights[from + each] = (weights[from + each] ?? 0) - rate * gradient;
        }
      }
    }
    report(
      `classifier, epoch ${epoch}: loss ${(loss / order.length).toFixed(4)}, ${((100 * wrong) / order.length).toFixed(2)} % of ${order.length} candidates wrong`,
    );
  }
  const unit = MOST / 127;
  return {
    rows: Int8Array.from(sum, (total) => Math.round(Math.max(-MOST, Math.min(MOST, total / snapshots)) / unit)),
    unit: unit * (1 - DROPOUT),
  };
}

/** The mean of several trained classifiers. Two trainings on other draws of the texts differ; their mean varies less. */
export function meanOf(trained: readonly TrainedClassifier[]): TrainedClassifier {
  const [first] = trained;
  if (first === undefined) throw new RangeError('There is no classifier.');
  const mean = (place: number): number =>
    trained.reduce((sum, { rows }) => sum + (rows[place] ?? 0), 0) / trained.length;
  return { rows: first.rows.map((_, place) => Math.round(mean(place))), unit: first.unit };
}

function softmax(weights: Float64Array, features: Int32Array, out: Float64Array): void {
  out.fill(0);
  for (const feature of features) {
    const from = feature * classCount;
    for (let each = 0; each < classCount; each++) out[each] = (out[each] ?? 0) + (weights[from + each] ?? 0);
  }
  const most = Math.max(...out);
  let total = 0;
  for (let each = 0; each < classCount; each++) {
    const value = Math.exp((out[each] ?? 0) - most);
    out[each] = value;
    total += value;
  }
  for (let each = 0; each < classCount; each++) out[each] = (out[each] ?? 0) / total;
}
