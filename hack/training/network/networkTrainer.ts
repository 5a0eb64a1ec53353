/**
 * Trains the network by back-propagation, one text after the other: Adagrad for the rows of features, Adam for the
 * layers. See `tokenNetwork.ts` for what it computes.
 */
import {
  DILATIONS,
  parts,
  softmax,
  TAPS,
  tokenClasses,
  WHOLE_AT,
  WIDTH,
  type NetworkWeights,
} from '../../../guardrail/detection/ner/tokenNetwork.ts';
import { tokenBuckets } from '../../../guardrail/detection/ner/networkTokens.ts';
import type { Random } from '../random.ts';

/** A text to learn from: the features of its tokens, and what each token is. */
export interface NetworkExample {
  readonly count: number;
  /** See `NetworkTokens`. */
  readonly first: Int32Array;
  readonly features: Int32Array;
  /** The class of each token. {@link UNKNOWN}: any. */
  readonly classes: Uint8Array;
}

/** Of a token that may be anything: it does not count. */
export const UNKNOWN = 255;
/** Of a token that is a name or nothing, but no value. */
export const NO_VALUE = 254;
const noValues: readonly number[] = [
  tokenClasses.indexOf('O'),
  tokenClasses.indexOf('PERSON'),
  tokenClasses.indexOf('ADDRESS'),
];

const CLASSES = tokenClasses.length;
const LAYERS = DILATIONS.length;
/** The share of features that each text leaves out, so that no single word decides. */
const DROPOUT = 0.12;
/** How fast rows and layers follow at the beginning. */
const RATES = { rows: 0.15, layers: 0.006 } as const;
/** Texts between two steps of the layers. */
const BATCH = 8;

/** The state of one layer for all tokens of a text. */
interface State {
  /** What comes in, what the taps sum up, and whether the sums of the matrix are above zero. */
  input: Float64Array;
  around: Float64Array;
  isOpen: Uint8Array;
}

export class NetworkTrainer {
  private readonly random: Random;
  private readonly rows = new Float64Array(tokenBuckets * WIDTH);
  /** The sum of squared gradients of each row. */
  private readonly seen = new Float64Array(tokenBuckets).fill(0.01);
  private readonly layers = new Float64Array(parts.length);
  private readonly gradient = new Float64Array(parts.length);
  private readonly mean = new Float64Array(parts.length);
  private readonly variance = new Float64Array(parts.length);
  /** What the first step still counts in {@link mean} and {@link variance}. */
  private firstDecay = 1;
  private secondDecay = 1;
  private states: readonly State[] = [];
  private final: Float64Array = new Float64Array();
  private odds: Float64Array = new Float64Array();
  private whole: Float64Array = new Float64Array();
  private readonly wholeSum = new Float64Array(WIDTH);
  private capacity = 0;

  constructor(random: Random) {
    this.random = random;
    // The sum of twelve draws is nearly normal, without a function that differs between machines.
    const normal = (): number => {
      let sum = -6;
      for (let draw = 0; draw < 12; draw++) sum += random.next();
      return sum;
    };
    const fill = (from: number, length: number, deviation: number): void => {
      for (let at = from; at < from + length; at++) this.layers[at] = deviation * normal();
    };
    for (let at = 0; at < this.rows.length; at++) this.rows[at] = 0.08 * normal();
    for (let at = 0; at < LAYERS; at++) {
      const { taps, matrix } = parts.layer(at);
      fill(taps, TAPS * WIDTH, 0.45);
      fill(matrix, WIDTH * WIDTH, 0.2);
    }
    fill(parts.whole, 2 * WIDTH * WIDTH, 0.05);
    fill(parts.out, CLASSES * WIDTH, 0.1);
  }

  /** Learns from all examples, in an order given by the random numbers, `epochs` times. */
  train(examples: readonly NetworkExample[], epochs: number, report: (line: string) => void): void {
    const order = examples.map((_, at) => at);
    let seen = 0;
    for (let epoch = 1; epoch <= epochs; epoch++) {
      this.random.shuffle(order);
      let loss = 0;
      let tokens = 0;
      for (const index of order) {
        const example = examples[index];
        if (!example) continue;
        const left = 1 - seen++ / (epochs * order.length);
        loss += this.learn(example, RATES.rows * (0.02 + 0.98 * left));
        tokens += example.count;
        if (seen % BATCH === 0) this.step(RATES.layers * (0.02 + 0.98 * left));
      }
      report(`network, epoch ${epoch}: loss ${(loss / tokens).toFixed(5)} of ${tokens} tokens`);
    }
  }

  /** The weights as bytes. */
  weights(): NetworkWeights {
    let most = 0;
    for (const value of this.rows) most = Math.max(most, Math.abs(value));
    const unit = most / 127;
    return {
      rows: Int8Array.from(this.rows, (value) => Math.round(value / unit)),
      unit: Math.fround(unit),
      layers: Float32Array.from(this.layers),
    };
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = 2 * count;
    const numbers = (): Float64Array => new Float64Array(this.capacity * WIDTH);
    this.states = DILATIONS.map(() => ({
      input: numbers(),
      around: numbers(),
      isOpen: new Uint8Array(this.capacity * WIDTH),
    }));
    this.final = numbers();
    this.odds = new Float64Array(this.capacity * CLASSES);
  }

  private learn({ count, first, features, classes }: NetworkExample, rate: number): number {
    this.reserve(count);
    const kept = this.sumRows(count, first, features);
    for (let at = 0; at < LAYERS; at++) {
      if (at === WHOLE_AT) this.addWhole(count);
      this.forward(at, count);
    }
    const back = new Float64Array(count * WIDTH);
    const loss = this.backOut(count, classes, back);
    for (let at = LAYERS - 1; at >= 0; at--) {
      this.backward(at, count, back);
      if (at === WHOLE_AT) this.backWhole(count, back);
    }
    this.updateRows(count, { first, features, kept }, back, rate);
    return loss;
  }

  /** @returns which features are not left out */
  private sumRows(count: number, first: Int32Array, features: Int32Array): Uint8Array {
    const { rows, layers, random } = this;
    const input = this.stateOf(0).input;
    const kept = new Uint8Array(first[count] ?? 0);
    for (let token = 0; token < count; token++) {
      const to = token * WIDTH;
      for (let each = 0; each < WIDTH; each++) input[to + each] = layers[each] ?? 0;
      for (let at = first[token] ?? 0; at < (first[token + 1] ?? 0); at++) {
        if (random.next() < DROPOUT) continue;
        kept[at] = 1;
        const row = (features[at] ?? 0) * WIDTH;
        for (let each = 0; each < WIDTH; each++) input[to + each] = (input[to + each] ?? 0) + (rows[row + each] ?? 0);
      }
      for (let each = 0; each < WIDTH; each++) if ((input[to + each] ?? 0) < 0) input[to + each] = 0;
    }
    return kept;
  }

  private stateOf(at: number): State {
    const state = this.states[at];
    if (!state) throw new RangeError(`There is no layer ${at}.`);
    return state;
  }

  private outputOf(at: number): Float64Array {
    return at + 1 < LAYERS ? this.stateOf(at + 1).input : this.final;
  }

  private forward(at: number, count: number): void {
    const { layers } = this;
    const { input, around, isOpen } = this.stateOf(at);
    const output = this.outputOf(at);
    const { taps, matrix, bias } = parts.layer(at);
    const distance = DILATIONS[at] ?? 0;
    for (let token = 0; token < count; token++) {
      const own = token * WIDTH;
      for (let each = 0; each < WIDTH; each++) around[own + each] = 0;
      for (let tap = 0; tap < TAPS; tap++) {
        const other = token + (tap - 2) * distance;
        if (other < 0 || other >= count) continue;
        const from = other * WIDTH;
        const weight = taps + tap * WIDTH;
        for (let each = 0; each < WIDTH; each++)
          around[own + each] = (around[own + each] ?? 0) + (layers[weight + each] ?? 0) * (input[from + each] ?? 0);
      }
      for (let out = 0; out < WIDTH; out++) {
        const row = matrix + out * WIDTH;
        let [a, b] = [layers[bias + out] ?? 0, 0];
        for (let each = 0; each < WIDTH; each += 2) {
          a += (layers[row + each] ?? 0) * (around[own + each] ?? 0);
          b += (layers[row + each + 1] ?? 0) * (around[own + each + 1] ?? 0);
        }
        const sum = a + b;
        isOpen[own + out] = sum > 0 ? 1 : 0;
        output[own + out] = (input[own + out] ?? 0) + (sum > 0 ? sum : 0);
      }
    }
  }

  private addWhole(count: number): void {
    const { layers, wholeSum } = this;
    const { input } = this.stateOf(WHOLE_AT);
    this.whole = wholeOf(input, count);
    for (let out = 0; out < WIDTH; out++) {
      let sum = layers[parts.wholeBias + out] ?? 0;
      for (let each = 0; each < 2 * WIDTH; each++)
        sum += (layers[parts.whole + out * 2 * WIDTH + each] ?? 0) * (this.whole[each] ?? 0);
      wholeSum[out] = sum > 0 ? sum : 0;
    }
    for (let token = 0; token < count; token++)
      for (let out = 0; out < WIDTH; out++)
        input[token * WIDTH + out] = (input[token * WIDTH + out] ?? 0) + (wholeSum[out] ?? 0);
  }

  /** The gradient of the loss by the last state of each token, into `back`. @returns the loss */
  private backOut(count: number, classes: Uint8Array, back: Float64Array): number {
    const { layers, gradient, final, odds } = this;
    let loss = 0;
    for (let token = 0; token < count; token++) {
      const right = classes[token] ?? 0;
      if (right === UNKNOWN) continue;
      const own = token * WIDTH;
      const from = token * CLASSES;
      for (let each = 0; each < CLASSES; each++) {
        let sum = layers[parts.outBias + each] ?? 0;
        for (let at = 0; at < WIDTH; at++) sum += (layers[parts.out + each * WIDTH + at] ?? 0) * (final[own + at] ?? 0);
        odds[from + each] = sum;
      }
      softmax(odds, from);
      // Each of several classes is as right as it is likely among them.
      const isOneOf = right === NO_VALUE;
      let total = isOneOf ? 0 : (odds[from + right] ?? 0);
      if (isOneOf) for (const each of noValues) total += odds[from + each] ?? 0;
      loss -= Math.log(Math.max(1e-9, total));
      for (let each = 0; each < CLASSES; each++) {
        const likely = odds[from + each] ?? 0;
        const wanted = isOneOf
          ? noValues.includes(each)
            ? likely / Math.max(1e-9, total)
            : 0
          : each === right
            ? 1
            : 0;
        const slope = likely - wanted;
        if (Math.abs(slope) < 1e-4) continue;
        const row = parts.out + each * WIDTH;
        gradient[parts.outBias + each] = (gradient[parts.outBias + each] ?? 0) + slope;
        for (let at = 0; at < WIDTH; at++) {
          gradient[row + at] = (gradient[row + at] ?? 0) + slope * (final[own + at] ?? 0);
          back[own + at] = (back[own + at] ?? 0) + slope * (layers[row + at] ?? 0);
        }
      }
    }
    return loss;
  }

  /** Takes the gradient by the output of a layer to that by its input. */
  private backward(at: number, count: number, back: Float64Array): void {
    const { layers, gradient } = this;
    const { input, around, isOpen } = this.stateOf(at);
    const { taps, matrix, bias } = parts.layer(at);
    const distance = DILATIONS[at] ?? 0;
    const own = new Float64Array(WIDTH);
    const out = back.slice();
    for (let token = 0; token < count; token++) {
      const from = token * WIDTH;
      own.fill(0);
      let any = false;
      for (let each = 0; each < WIDTH; each++) {
        const slope = out[from + each] ?? 0;
        if (slope === 0 || isOpen[from + each] === 0) continue;
        any = true;
        const row = matrix + each * WIDTH;
        gradient[bias + each] = (gradient[bias + each] ?? 0) + slope;
        for (let into = 0; into < WIDTH; into++) {
          gradient[row + into] = (gradient[row + into] ?? 0) + slope * (around[from + into] ?? 0);
          own[into] = (own[into] ?? 0) + slope * (layers[row + into] ?? 0);
        }
      }
      if (!any) continue;
      for (let tap = 0; tap < TAPS; tap++) {
        const other = token + (tap - 2) * distance;
        if (other < 0 || other >= count) continue;
        const to = other * WIDTH;
        const weight = taps + tap * WIDTH;
        for (let each = 0; each < WIDTH; each++) {
          gradient[weight + each] = (gradient[weight + each] ?? 0) + (own[each] ?? 0) * (input[to + each] ?? 0);
          back[to + each] = (back[to + each] ?? 0) + (own[each] ?? 0) * (layers[weight + each] ?? 0);
        }
      }
    }
  }

  /** The same for what the whole text says. The places of the greatest get nothing back: they are few of many. */
  private backWhole(count: number, back: Float64Array): void {
    const { layers, gradient, whole, wholeSum } = this;
    const toMean = new Float64Array(WIDTH);
    for (let out = 0; out < WIDTH; out++) {
      if ((wholeSum[out] ?? 0) <= 0) continue;
      let slope = 0;
      for (let token = 0; token < count; token++) slope += back[token * WIDTH + out] ?? 0;
      const row = parts.whole + out * 2 * WIDTH;
      gradient[parts.wholeBias + out] = (gradient[parts.wholeBias + out] ?? 0) + slope;
      for (let each = 0; each < 2 * WIDTH; each++)
        gradient[row + each] = (gradient[row + each] ?? 0) + slope * (whole[each] ?? 0);
      for (let each = 0; each < WIDTH; each++)
        toMean[each] = (toMean[each] ?? 0) + (slope * (layers[row + each] ?? 0)) / count;
    }
    for (let token = 0; token < count; token++)
      for (let each = 0; each < WIDTH; each++)
        back[token * WIDTH + each] = (back[token * WIDTH + each] ?? 0) + (toMean[each] ?? 0);
  }

  private updateRows(
    count: number,
    { first, features, kept }: { readonly first: Int32Array; readonly features: Int32Array; readonly kept: Uint8Array },
    back: Float64Array,
    rate: number,
  ): void {
    const { rows, seen, gradient } = this;
    const { input } = this.stateOf(0);
    for (let token = 0; token < count; token++) {
      const own = token * WIDTH;
      let square = 0;
      for (let each = 0; each < WIDTH; each++) {
        if (input[own + each] === 0) back[own + each] = 0;
        const slope = back[own + each] ?? 0;
        square += slope * slope;
        gradient[each] = (gradient[each] ?? 0) + slope;
      }
      if (square < 1e-12) continue;
      for (let at = first[token] ?? 0; at < (first[token + 1] ?? 0); at++) {
        if (kept[at] === 0) continue;
        const feature = features[at] ?? 0;
        const total = (seen[feature] ?? 0) + square / WIDTH;
        seen[feature] = total;
        const by = rate / Math.sqrt(total);
        const row = feature * WIDTH;
        for (let each = 0; each < WIDTH; each++)
          rows[row + each] = (rows[row + each] ?? 0) - by * (back[own + each] ?? 0);
      }
    }
  }

  /** One step of the layers, by Adam. */
  private step(rate: number): void {
    const { layers, gradient, mean, variance } = this;
    this.firstDecay *= 0.9;
    this.secondDecay *= 0.999;
    const first = 1 - this.firstDecay;
    const second = 1 - this.secondDecay;
    for (let at = 0; at < layers.length; at++) {
      const slope = gradient[at] ?? 0;
      gradient[at] = 0;
      const average = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      const square = 0.999 * (variance[at] ?? 0) + 0.001 * slope * slope;
      mean[at] = average;
      variance[at] = square;
      layers[at] = (layers[at] ?? 0) - (rate * (average / first)) / (Math.sqrt(square / second) + 1e-8);
    }
  }
}

/** The mean and the greatest of all tokens. */
function wholeOf(values: Float64Array, count: number): Float64Array {
  const whole = new Float64Array(2 * WIDTH);
  for (let token = 0; token < count; token++) {
    for (let each = 0; each < WIDTH; each++) {
      const value = values[token * WIDTH + each] ?? 0;
      whole[each] = (whole[each] ?? 0) + value / count;
      if (value > (whole[WIDTH + each] ?? 0)) whole[WIDTH + each] = value;
    }
  }
  return whole;
}
