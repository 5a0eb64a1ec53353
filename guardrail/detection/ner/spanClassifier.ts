import { classCount, entityClasses, type NameType } from './entityClasses.ts';
import { mostFeatures, spanBuckets } from '../kernel/numbers.ts';
import { bytesAt, createKernel, numbersAt, type Kernel } from '../kernelInstance.ts';
import type { TagKind } from './labels.ts';
import type { Candidate } from './spanFeatures.ts';
import type { Thresholds } from './thresholds.ts';

/** Maps a probability to the share of such decisions that is right: a line in log odds. */
export interface Calibration {
  readonly slope: number;
  readonly offset: number;
}

/** Weights of the classifier. */
export interface ClassifierWeights {
  /** See {@link packedRows}. */
  readonly rows: Int32Array;
  /** The value of one step of a weight, in units of log odds. */
  readonly unit: number;
  /** For the decision that a candidate is a private person or an address. */
  readonly personal: Calibration;
  /** For the decision that a candidate is a name. */
  readonly any: Calibration;
}

/** Weights of one class per feature, in rows of {@link classCount}. */
export const rowsLength = spanBuckets * classCount;

/** The probabilities of what is private. */
export interface Private {
  readonly person: number;
  readonly address: number;
}

/** A candidate, and what decides about it. */
export interface Judged extends Candidate {
  /** Whether the whole candidate is a known name, has an ordinary word that is no name, or has a digit within a word. */
  readonly isCommon: boolean;
  /** Whether it is the name of a thing of one word that is no name of people, such as ChatGPT. */
  readonly isProduct: boolean;
  /** Whether it contains a number. */
  readonly hasNumber: boolean;
  readonly probabilities: Probabilities;
  /** The probabilities of the network that its words are a private person, and an address. */
  readonly network: Private;
  /** The probability that it is private, by both models and the other names of the text: see `privateScores.ts`. */
  readonly score: number;
}

/** A decision about a candidate, and the probability that it is right. */
export interface Decision {
  readonly type: NameType;
  readonly score: number;
}

/** The thresholds of candidates. */
export type NameThresholds = Omit<Thresholds, 'unproposed' | 'value' | 'values'>;

/** What the classifier says of a candidate. */
export interface Probabilities {
  readonly person: number;
  readonly publicPerson: number;
  readonly address: number;
  readonly location: number;
  readonly organization: number;
}

/** Numbers per row of the packed weights. Each has four bytes: two classes in the bytes 0 and 2, two in the bytes 1 and 3. */
const PACKED = 2;
/** Added to each weight, so that bytes without a sign add up within their halves: at most 256 of them. */
const ZERO = 128;

/** The number of numbers in packed rows. */
export const packedLength = spanBuckets * PACKED;

/**
 * The weights as bytes without a sign, so that two numbers hold a row, and one addition adds two weights.
 * @param rows {@link rowsLength} weights
 */
export function packedRows(rows: Int8Array): Int32Array {
  const bytes = new Uint8Array(packedLength * 4).fill(ZERO);
  for (let feature = 0; feature < spanBuckets; feature++) {
    for (let index = 0; index < classCount; index++)
      bytes[feature * PACKED * 4 + index] = ZERO + (rows[feature * classCount + index] ?? 0);
  }
  return new Int32Array(bytes.buffer);
}

/** Decides what a candidate is: a linear model over hashed features with a softmax over the classes. */
export class SpanClassifier {
  private readonly unit: number;
  private readonly calibration: Pick<ClassifierWeights, 'personal' | 'any'>;
  private readonly kernel: Kernel;
  private features = new Int32Array();
  /** The sums of the rows of each class. */
  private sums = new Uint16Array();
  private readonly odds = new Float64Array(classCount);

  /**
   * @param weights are copied.
   * @param kernel that of the features. Default: one without tokens.
   */
  constructor({ rows, unit, personal, any }: ClassifierWeights, kernel = createKernel()) {
    this.unit = unit;
    this.calibration = { personal, any };
    this.kernel = kernel;
    kernel.reserveClassifier(spanBuckets);
    numbersAt(kernel, kernel.spanRowsAt, rows.length).set(rows);
  }

  /** @param features the first `count` are the buckets of the candidate's features: see `SpanFeatures`. */
  probabilitiesOf(features: Int32Array, count: number): Probabilities {
    const { kernel, odds, unit } = this;
    if (this.features.buffer !== kernel.memory.buffer) this.view();
    if (features.buffer !== this.features.buffer) this.features.set(features.subarray(0, count));
    kernel.sumFeatures(count);
    let most = 0;
    for (let index = 0; index < classCount; index++) odds[index] = this.sums[index] ?? 0;
    for (let index = 0; index < classCount; index++) most = Math.max(most, odds[index] ?? 0);
    let total = 0;
    for (let index = 0; index < classCount; index++) {
      const value = Math.exp(((odds[index] ?? 0) - most) * unit);
      odds[index] = value;
      total += value;
    }
    const [, person = 0, publicPerson = 0, address = 0, location = 0, organization = 0] = odds;
    return {
      person: person / total,
      publicPerson: publicPerson / total,
      address: address / total,
      location: location / total,
      organization: organization / total,
    };
  }

  /**
   * How much each feature of a candidate speaks for a class, in units of log odds against no name.
   * @param features see {@link probabilitiesOf}
   */
  weightsFor(type: NameType, features: Int32Array, count: number): number[] {
    const rows = bytesAt(this.kernel, this.kernel.spanRowsAt, packedLength * Int32Array.BYTES_PER_ELEMENT);
    const index = entityClasses.indexOf(type);
    return Array.from(features.subarray(0, count), (feature) => {
      const row = feature * PACKED * Int32Array.BYTES_PER_ELEMENT;
      return ((rows[row + index] ?? 0) - (rows[row] ?? 0)) * this.unit;
    });
  }

  /** What a candidate is if every probability suffices, and the probability that it has and the one that it needs. */
  nearest(candidate: Judged, limits: NameThresholds): Decision & { readonly threshold: number } {
    const { probabilities, score } = candidate;
    const isPersonal = score >= nameOf(probabilities) - personalOf(probabilities);
    const none = { personal: isPersonal ? 0 : 2, home: 0, common: 0, any: 0, anyTagged: 2, margin: 0 };
    const decision = this.decide(candidate, none) ?? { type: 'PERSON', score: 0 };
    return { ...decision, threshold: leastScore(candidate, decision.type, limits) };
  }

  /** The calibrated probability that a candidate is private, without the network. */
  personal(probabilities: Probabilities): number {
    return calibrated(personalOf(probabilities), this.calibration.personal);
  }

  private view(): void {
    const { kernel } = this;
    this.features = numbersAt(kernel, kernel.featuresAt, mostFeatures);
    this.sums = new Uint16Array(kernel.memory.buffer, kernel.sumsAt.value, classCount);
  }

  /** @returns undefined if the candidate is no name, or if it is too unlikely. */
  decide(candidate: Judged, limits: NameThresholds): Decision | undefined {
    return decide(candidate, this.calibration, limits);
  }
}

/** The share of decisions with a probability that is right. */
export function calibrated(probability: number, { slope, offset }: Calibration): number {
  const bounded = Math.max(1e-6, Math.min(1 - 1e-6, probability));
  return 1 / (1 + Math.exp(-(slope * Math.log(bounded / (1 - bounded)) + offset)));
}

export const personalOf = ({ person, address }: Probabilities): number => person + address;
export const nameOf = ({ person, publicPerson, address, location, organization }: Probabilities): number =>
  person + publicPerson + address + location + organization;

/**
 * Decides by the probabilities of the classes. Whether the candidate is personal is decided first: that a private value leaks
 * is worse than that a public one is hidden.
 */
export function decide(
  { kind, margin, isCommon, hasNumber, probabilities, network, score }: Omit<Judged, 'first' | 'last' | 'isProduct'>,
  calibration: Pick<ClassifierWeights, 'any'>,
  limits: NameThresholds,
): Decision | undefined {
  const { person, publicPerson, address, location, organization } = probabilities;
  // The networks know few towns: in a list of people, they take one for a person.
  const isPlace = address + location > person + publicPerson;
  const type = !isPlace && person + network.person >= address + network.address ? 'PERSON' : 'ADDRESS';
  if (score >= leastScore({ isCommon, hasNumber }, type, limits)) return { type, score };
  const any = calibrated(nameOf(probabilities), calibration.any);
  if (any < limits.any) {
    const isTagged = margin >= limits.margin && any >= limits.anyTagged;
    return isTagged ? { type: publicTypes[kind], score: any } : undefined;
  }
  const named = person + publicPerson;
  const placed = address + location;
  if (named >= placed && named >= organization) return { type: 'PUBLIC_PERSON', score: any };
  return { type: placed >= organization ? 'LOCATION' : 'ORGANIZATION', score: any };
}

/** The least score with which a candidate is reported as a type, if the tagger is not sure. */
function leastScore(
  { isCommon, hasNumber }: Pick<Judged, 'isCommon' | 'hasNumber'>,
  type: NameType,
  limits: NameThresholds,
): number {
  if (type !== 'PERSON' && type !== 'ADDRESS') return limits.any;
  const isHome = type === 'ADDRESS' && !hasNumber;
  const isUsual = isCommon && (type === 'PERSON' || isHome);
  return Math.max(limits.personal, isHome ? limits.home : 0, isUsual ? limits.common : 0);
}

/** What a candidate is that is not personal, by its tag. */
const publicTypes: Readonly<Record<TagKind, NameType>> = {
  PERSON: 'PUBLIC_PERSON',
  LOCATION: 'LOCATION',
  ORGANIZATION: 'ORGANIZATION',
  ADDRESS: 'LOCATION',
};
