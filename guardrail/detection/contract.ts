/**
 * The types of detection. All offsets are UTF-16 code units. Presidio and the `detect` command use code points, and
 * convert them.
 */

import type { Steps } from '../eventLoop.ts';
import type { Tenant } from '../ids.ts';
import type { EntityType, KeptBy, Span } from './span.ts';
import type { Trace } from './trace.ts';

export type { EntityType, KeptBy, RuleId, Span } from './span.ts';

/** Whether a dependency of the guardrail is available. */
export type DependencyState =
  | { readonly up: true }
  | { readonly up: false; readonly reason: string; /** When the first failure occurred. */ readonly since: Date };

/** How much to find: `precise` replaces the least harmless text, `thorough` leaks the fewest values. */
export type Recall = 'precise' | 'balanced' | 'thorough';

export interface DetectOptions {
  readonly signal: AbortSignal;
  /** Replaces the detector's own setting. */
  readonly recall?: Recall | undefined;
  /** The lowest recall of this call. It can raise the setting, never lower it. */
  readonly minRecall?: Recall | undefined;
  /** See {@link AnalysisContext.scope}. */
  readonly scope?: string | undefined;
  /** See {@link AnalysisContext.tenant}. */
  readonly tenant?: Tenant | undefined;
  /** See {@link AnalysisContext.trace}. */
  readonly trace?: Trace | undefined;
  /** See {@link AnalysisContext.isLocal}. */
  readonly isLocal?: boolean | undefined;
}

/** Finds entities. The {@link Analyzer} applies the policy. */
export interface Detector {
  readonly name: string;
  /** Whether it calls a server. */
  readonly isRemote?: true;
  /**
   * Finds the entities in a batch of texts.
   * @returns the spans of each text, sorted by start; they may overlap.
   * @throws DetectorUnavailableError if the detector fails or exceeds its timeout.
   * @throws TooManyValuesError
   */
  detect(texts: readonly string[], options: DetectOptions): Promise<Span[][]>;
  /** The state for the readiness probe; cheap, and never throws. */
  state(): Promise<DependencyState>;
  close(): Promise<void>;
}

/** A detector is unreachable, failed or exceeded its timeout: status 502. The message contains no text of the call. */
export class DetectorUnavailableError extends Error {
  override readonly name = 'DetectorUnavailableError';
}

/**
 * The maximum number of values in one call: a table of 5,000 rows with a name and an address each. It fills the context
 * of most models. Each value takes dozens of objects, a few kilobytes, until the call ends.
 */
export const MAX_VALUES = 10_000;

/** A call contains more than {@link MAX_VALUES}: status 413. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
  constructor() {
    super(`The call contains more than ${MAX_VALUES} values to pseudonymize. Split it into smaller calls.`);
  }

  /** @throws TooManyValuesError */
  static check(count: number): void {
    if (count > MAX_VALUES) throw new TooManyValuesError();
  }
}

/** What to do with a finding. The analyzer drops findings with the action `ignore`. */
export type Action = 'pseudonymize' | 'block';

/** A span and the policy's action. */
export interface Finding extends Span {
  readonly action: Action;
}

/** What a policy sets in place of the settings of the service. A setting that is absent stays as the service has it. */
export interface PolicySettings {
  readonly recall?: Recall | undefined;
  readonly images?: 'redact' | 'block' | 'pass' | undefined;
  readonly remoteImages?: 'block' | 'pass' | undefined;
  readonly unreadText?: 'mask' | 'block' | 'note' | undefined;
  readonly mode?: 'enforce' | 'monitor' | undefined;
  /** How long a mapping is stored after its last use, in milliseconds. */
  readonly mappingTTL?: number | undefined;
}

/** A range of a text that contains an allowed value, in UTF-16 code units. */
export interface AllowedPlace {
  readonly start: number;
  readonly end: number;
  /** The types of values that stay there. */
  readonly types: readonly EntityType[] | 'all';
}

/** A compiled policy: what to do with each entity type, allow and deny lists, custom recognizers, and settings. */
export interface Policy {
  readonly settings: PolicySettings;
  /** Entity types of the deny list and of custom recognizers. */
  readonly customTypes: readonly EntityType[];
  /**
   * Finds the values of the deny list and of custom recognizers, also in other spellings: see `text/foldedView.ts`.
   * @throws TooManyValuesError
   */
  find(text: string, team: string | undefined): Steps<Span[]>;
  /** The places where values of the allow list stand by themselves, in any order. */
  allowedIn(text: string, team: string | undefined): Steps<AllowedPlace[]>;
  /** The action for a span; undefined if its text stays as it is. */
  actionOf(span: Span, value: string, team: string | undefined): Action | undefined;
  /** Why a span without an action has none. */
  keptBy(span: Span, value: string, team: string | undefined): KeptBy;
}

/** The properties of a call that detection and policy depend on. */
export interface AnalysisContext {
  /** The gateway's team id, for policy overrides. */
  readonly team: string | undefined;
  readonly signal: AbortSignal;
  /** The policy of the call. Default: that of the analyzer, at the time of the call. */
  readonly policy?: Policy | undefined;
  /** Settings of the request. They make handling stricter, never looser. */
  readonly stricter?: StricterSettings;
  /**
   * Callers that may learn that one of them has sent the same text before: a detector may remember what it finds for
   * them. Default: nobody.
   */
  readonly scope?: string | undefined;
  /** Whose work it is: long texts take turns by tenant. Default: that of nobody, whose calls share their turns. */
  readonly tenant?: Tenant | undefined;
  /**
   * The number of the message that contains each text, in ascending order. What is found in a text depends on the texts of
   * its message and of those before it, never on those after it. Default: all texts are of one message.
   */
  readonly messages?: readonly number[] | undefined;
  /** Collects what is considered in the first text. Its findings are the same as without it. Default: nothing is collected. */
  readonly trace?: Trace | undefined;
  /** Whether only detectors that call no server run. Default: false. */
  readonly isLocal?: boolean | undefined;
  /**
   * Receives the places of the allowed values of each text. No caller may replace anything there. Default: the places are not
   * collected.
   */
  readonly spared?: (readonly AllowedPlace[])[] | undefined;
}

export interface StricterSettings {
  readonly recall?: Recall;
  /** Entity types that block this request. */
  readonly block?: readonly EntityType[];
}

/** Detectors and policy together. */
export interface Analyzer {
  /**
   * @returns the findings of each text: sorted by start, disjoint, not empty, and on whole characters.
   * @throws DetectorUnavailableError | TooManyValuesError
   */
  analyze(texts: readonly string[], context: AnalysisContext): Promise<Finding[][]>;
  state(): Promise<DependencyState>;
  close(): Promise<void>;
}
