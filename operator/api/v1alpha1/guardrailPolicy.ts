import type { API_VERSION, Condition, ObjectMeta, ResourceNames } from './common.ts';
import { GROUP, VERSION } from './common.ts';

/** Names of the kind at the API server. */
export const guardrailPolicyNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GuardrailPolicy',
  listKind: 'GuardrailPolicyList',
  plural: 'guardrailpolicies',
  singular: 'guardrailpolicy',
  shortName: 'gpol',
} as const satisfies ResourceNames;

/**
 * An entity type, in upper snake case, for example EMAIL_ADDRESS.
 * @maxLength 40
 * @x-kubernetes-validations [
 *   {"rule": "self.matches('^[A-Z][A-Z0-9_]*$')", "message": "an entity type must begin with an upper-case letter and contain only upper-case letters, digits and underscores, for example EMPLOYEE_ID"}
 * ]
 */
export type EntityType = string;

/**
 * A text that is compared with the texts of calls, without regard to case and spelling.
 * @minLength 2
 * @maxLength 200
 * @x-kubernetes-validations [
 *   {"rule": "self.matches('^\\\\S') && self.matches('\\\\S$')", "message": "a text of a policy must not begin or end with white space: remove it"}
 * ]
 */
export type PolicyText = string;

/**
 * A pattern in RE2 syntax, which matches in linear time. It must not match the empty text.
 * @minLength 1
 * @maxLength 1000
 */
export type LinearPattern = string;

/** What happens to a value of an entity type. */
export type PolicyAction = 'Pseudonymize' | 'Block' | 'Ignore';

/**
 * The rule for an entity type. At least one of the fields must be set.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.action) || has(self.threshold)", "message": "action or threshold is required: set at least one of the two"}
 * ]
 */
export interface PolicyRule {
  /** Pseudonymize replaces the value, Block refuses the call, Ignore leaves the value as it is. */
  action?: PolicyAction;
  /**
   * The lowest score of a value, from 0 to 1. Values with a lower score stay as they are.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0 && self <= 1.0", "message": "threshold must be between 0 and 1, for example 0.6"}
   * ]
   */
  threshold?: number;
}

/**
 * A value that is never replaced, unless it is a part of a longer value such as an email address. Exactly one of value and pattern must be set.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.value) != has(self.pattern)", "message": "either value or pattern is required: set exactly one of the two"}
 * ]
 */
export interface AllowEntry {
  /** The value. */
  value?: PolicyText;
  /** The pattern of the whole value. */
  pattern?: LinearPattern;
  /**
   * The entity types for which the entry applies. Default: all types.
   * @minItems 1
   * @maxItems 16
   * @listType set
   */
  types?: EntityType[];
}

/** A value that is always replaced. */
export interface DenyEntry {
  /** The value. Its words are found with anything between them, such as a line break, a hyphen or nothing, and with a plural s. */
  value: PolicyText;
  /** The entity type of the value. Default: DENIED. */
  type?: EntityType;
  /** Whether case and accents count. Default: false. */
  caseSensitive?: boolean;
}

/** A custom recognizer, which finds values by a pattern. */
export interface PolicyRecognizer {
  /**
   * Name of the recognizer.
   * @minLength 1
   * @maxLength 100
   */
  name: string;
  /** The entity type of what it finds. */
  type: EntityType;
  /** The pattern of a value. */
  pattern: LinearPattern;
  /**
   * The score of a match without a context word near it. Default: 0.6.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0 && self <= 1.0", "message": "score must be between 0 and 1, for example 0.6"}
   * ]
   */
  score?: number;
  /**
   * Context words. One of them near a match raises the score by 0.35.
   * @maxItems 32
   * @listType set
   */
  context?: PolicyText[];
}

/** Overrides for a team. */
export interface TeamPolicy {
  /** The profile of the team. */
  profile?: 'Personal' | 'Confidential';
  /** The rule for types that entities does not list and the profile does not ignore. */
  default?: PolicyRule;
  /**
   * Rules by entity type.
   * @maxProperties 128
   */
  entities?: Record<string, PolicyRule>;
  /**
   * Values that are never replaced, in addition to those of all teams.
   * @maxItems 64
   * @listType atomic
   */
  allow?: AllowEntry[];
  /**
   * Values that are always replaced, in addition to those of all teams.
   * @maxItems 64
   * @listType atomic
   */
  deny?: DenyEntry[];
}

/** The policy. What it leaves out is as spec.guardrail of the GatewayInstance says. */
export interface GuardrailPolicySpec {
  /** What is replaced. Personal replaces what identifies a private person. Confidential also replaces public persons, organisations, places and all URLs. Each entity type and team can differ. */
  profile?: 'Personal' | 'Confidential';
  /** Trade-off between leaks and over-masking. Precise finds less with fewer errors, Thorough finds more with more errors. */
  recall?: 'Precise' | 'Balanced' | 'Thorough';
  /** The rule for types that entities does not list and the profile does not ignore. Default: Pseudonymize. */
  default?: PolicyRule;
  /**
   * Rules by entity type, for example CREDIT_CARD. Each type must be one that the guardrail, Presidio, or a recognizer or deny entry of this policy can find, or be listed in additionalEntityTypes.
   * @maxProperties 256
   */
  entities?: Record<string, PolicyRule>;
  /**
   * Values that are never replaced. The deny list takes precedence.
   * @maxItems 1000
   * @listType atomic
   */
  allow?: AllowEntry[];
  /**
   * Values that are always replaced.
   * @maxItems 1000
   * @listType atomic
   */
  deny?: DenyEntry[];
  /**
   * Custom recognizers.
   * @maxItems 200
   * @listType atomic
   */
  recognizers?: PolicyRecognizer[];
  /**
   * Overrides by the gateway's team id.
   * @maxProperties 64
   */
  teams?: Record<string, TeamPolicy>;
  /** How images in a request are handled. Redact paints over personal data, Block refuses the request, Pass forwards the image unchanged. */
  images?: 'Redact' | 'Block' | 'Pass';
  /** How images are handled that a request references by URL. Block refuses the request, Pass forwards the URL unchanged. */
  remoteImages?: 'Block' | 'Pass';
  /** What happens to text that is found in an image and cannot be read, if images are redacted. Mask paints over it, Block refuses the request, Note forwards it and counts it. */
  unreadText?: 'Mask' | 'Block' | 'Note';
  /** Enforce replaces personal data. Monitor counts it and changes nothing. */
  enforcement?: 'Enforce' | 'Monitor';
  /**
   * How long a mapping is kept after its last use, for example 30m or 24h. A shorter time applies to existing mappings too.
   * @maxLength 32
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || self.matches('^[0-9]{1,3}d$')", "message": "retention must be a number of days, or a duration of whole numbers with units (ms, s, m or h), for example 30m, 24h or 7d"},
   *   {"rule": "self.matches('^[0-9]{1,3}d$') ? int(self.replace('d', '')) >= 1 && int(self.replace('d', '')) <= 365 : !self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || (duration(self) >= duration('1s') && duration(self) <= duration('8760h'))", "message": "retention must be between 1s and 365d, for example 24h"}
   * ]
   */
  retention?: string;
  /**
   * Further entity types that rules and allow entries may name, because a Presidio analyzer with recognizers of its own finds them.
   * @maxItems 100
   * @listType set
   */
  additionalEntityTypes?: EntityType[];
}

/** Observed state of the policy. */
export interface GuardrailPolicyStatus {
  /**
   * The generation of the resource on which this status is based.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /**
   * The last generation that was valid. While a newer one is not, instances keep the policy that they have.
   * @asType integer
   * @format int64
   */
  acceptedGeneration?: number;
  /**
   * The last generation that every guardrail pod of every resource that uses the policy had. If it equals metadata.generation, the spec is in force. Absent if no resource uses the policy.
   * @asType integer
   * @format int64
   */
  enforcedGeneration?: number;
  /** Digest of the policy in the format of the guardrail, of the last valid generation. An instance for which this policy is written shows it in status.guardrail.policyRevision, and in status.policy.revision when every pod has it. */
  revision?: string;
  /**
   * Number of GatewayInstances that refer to the policy.
   * @asType integer
   * @format int32
   */
  instances?: number;
  /**
   * Number of GatewayCustomers that refer to the policy.
   * @asType integer
   * @format int32
   */
  customers?: number;
  /**
   * The resources that refer to the policy, as kind and name. At most 32 are listed.
   * @maxItems 32
   * @listType set
   * @eachItem {"maxLength": 320}
   */
  usedBy?: string[];
  /**
   * Conditions of the policy: Accepted (the policy is valid), Ready (it is valid, and every guardrail pod of every resource that uses it has it), Reconciling (True while the operator works on it or retries) and Stalled (True if it needs a change by a user). Reconciling and Stalled are absent if they are not True.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * GuardrailPolicy is a policy of guardrails: which personal data is replaced, refused or left, and how long its mappings are kept. A GatewayInstance refers to it in spec.guardrail.policyRef.
 * @categories ["gateway-guardrail"]
 * @printcolumn [
 *   {"name": "Accepted", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Accepted\")].status", "description": "Whether the policy is valid."},
 *   {"name": "Profile", "type": "string", "jsonPath": ".spec.profile", "description": "What is replaced."},
 *   {"name": "Enforcement", "type": "string", "jsonPath": ".spec.enforcement", "description": "Whether personal data is replaced or only counted."},
 *   {"name": "Instances", "type": "integer", "jsonPath": ".status.instances", "description": "Number of GatewayInstances that refer to the policy."},
 *   {"name": "Customers", "type": "integer", "jsonPath": ".status.customers", "description": "Number of GatewayCustomers that refer to the policy."},
 *   {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "description": "The status of the condition Ready."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "The age of the resource."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason", "priority": 1, "description": "The reason of the condition Ready."},
 *   {"name": "Revision", "type": "string", "jsonPath": ".status.revision", "priority": 1, "description": "The digest of the last valid policy."}
 * ]
 */
export interface GuardrailPolicy {
  apiVersion: typeof API_VERSION;
  kind: typeof guardrailPolicyNames.kind;
  metadata: ObjectMeta;
  spec: GuardrailPolicySpec;
  status?: GuardrailPolicyStatus;
}
