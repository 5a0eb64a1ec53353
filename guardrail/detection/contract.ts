/**
 * The types of detection. Offsets are UTF-16 code units everywhere inside the program;
 * what speaks code points (Presidio, the `detect` command) converts at its edge.
 */

/** An NER label in upper snake case, named as Presidio names it where it has one: `PERSON`, `EMAIL_ADDRESS`, … */
export type EntityType = string;

/** One place in a text that holds an entity: `text.slice(start, end)`. */
export interface Span {
  /** First UTF-16 code unit. */
  readonly start: number;
  /** One past the last UTF-16 code unit. */
  readonly end: number;
  readonly type: EntityType;
  /** Confidence between 0 and 1. */
  readonly score: number;
  /** Name of the detector that found it, for metrics. */
  readonly detector: string;
}

/** Whether something that the guardrail depends on can be used now. */
export type DependencyState =
  | { readonly up: true }
  | { readonly up: false; readonly reason: string; /** When it was first seen down. */ readonly since: Date };

/** How much a detector risks: `precise` masks least that is innocent, `thorough` leaks least. */
export type Recall = 'precise' | 'balanced' | 'thorough';

export interface DetectOptions {
  readonly signal: AbortSignal;
  /** A setting for this call; a detector never goes below its own. */
  readonly recall?: Recall | undefined;
}

/** Finds entities. Never applies policy: see {@link Analyzer}. */
export interface Detector {
  readonly name: string;
  /**
   * Looks at a batch of texts at once.
   * @returns for each text its spans, sorted by start; they may overlap.
   * @throws DetectorUnavailableError where the detector cannot answer, or not within its time-out.
   * @throws TooManyValuesError
   */
  detect(texts: readonly string[], options: DetectOptions): Promise<Span[][]>;
  /** Its state for the readiness probe; cheap, and never throws. */
  state(): Promise<DependencyState>;
  close(): Promise<void>;
}

/** A detector that cannot be reached, failed or took too long: 502 to the caller. Carries no text. */
export class DetectorUnavailableError extends Error {
  override readonly name = 'DetectorUnavailableError';
}

/**
 * How many values a call may hold, wherever they stand in it: a table of 5,000 rows with a name and an address each,
 * which fills most models' context. Each value costs dozens of objects, some kilobytes, until the call is done.
 */
export const MAX_VALUES = 10_000;

/** A call with more than {@link MAX_VALUES}: 413 to the caller. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
  constructor() {
    super(`The call holds more than ${MAX_VALUES} values that a pseudonym stands for: send it in parts.`);
  }

  /** @throws TooManyValuesError */
  static check(count: number): void {
    if (count > MAX_VALUES) throw new TooManyValuesError();
  }
}

/** What policy says about a finding. `ignore` never leaves the analyzer. */
export type Action = 'pseudonymize' | 'block';

/** A span that policy has kept. */
export interface Finding extends Span {
  readonly action: Action;
}

/** What a call is about, as far as detection and policy depend on it. */
export interface AnalysisContext {
  /** The gateway's team id, for policy overrides. */
  readonly team: string | undefined;
  readonly signal: AbortSignal;
  /** Per-request settings of the caller: they can make handling stricter, never looser. */
  readonly stricter?: StricterSettings;
}

export interface StricterSettings {
  readonly recall?: Recall;
  /** Entity types that block this request. */
  readonly block?: readonly EntityType[];
}

/** Detectors and policy together: what the core works on. */
export interface Analyzer {
  /**
   * @returns for each text its findings: sorted by start, never overlapping, none empty, none inside a surrogate pair.
   * @throws DetectorUnavailableError | TooManyValuesError
   */
  analyze(texts: readonly string[], context: AnalysisContext): Promise<Finding[][]>;
  state(): Promise<DependencyState>;
  close(): Promise<void>;
}
