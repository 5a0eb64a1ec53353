/** A value in a text, and what found it. Offsets are UTF-16 code units. */

/** An entity type in upper snake case, with Presidio's name where it has one: `PERSON`, `EMAIL_ADDRESS`, … */
export type EntityType = string;

/**
 * What found an entity: a recognizer and its pattern, the model, a list or a pass, as in `iban`, `phone.label`, `model.person`,
 * `deny-list:EMPLOYEE` and `custom:ticket`. A constant: it never contains text of a call.
 */
export type RuleId = string;

/** The position of an entity in a text: `text.slice(start, end)`. */
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
  /** The rule that decided: see {@link file://./rules.ts}. */
  readonly rule: RuleId;
}

/**
 * Why a policy keeps the text of a span: its allow list, a threshold of the policy, its profile, a rule with the action
 * `ignore`, or a request that asks for other types.
 */
export type KeptBy = 'allowList' | 'policyThreshold' | 'profile' | 'ignored' | 'notRequested';
