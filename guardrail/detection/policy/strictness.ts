/**
 * Which of two policies is stricter. A policy that belongs to one customer can only add to what the policy of the service
 * hides. Pure.
 */
import type { Action, EntityType, Policy, PolicySettings } from '../contract.ts';
import { compileDocuments, resolveRule, type ResolvedRule } from './policy.ts';
import type { Profile } from './profiles.ts';
import type { PolicyDocument } from './schema.ts';

type Settings = { readonly [Name in keyof PolicySettings]-?: NonNullable<PolicySettings[Name]> };

/** The settings of the service, which apply where a policy has none. */
export interface ServiceSettings extends Settings {
  readonly profile: Profile;
}

/** The values of each setting, from the least strict to the strictest. */
const order = {
  profile: ['personal', 'confidential'],
  recall: ['precise', 'balanced', 'thorough'],
  images: ['pass', 'redact', 'block'],
  remoteImages: ['pass', 'block'],
  mode: ['monitor', 'enforce'],
  action: ['ignore', 'pseudonymize', 'block'],
} as const;

/**
 * Compiles the policy of a customer.
 * @param base the policy of the service
 * @param own what the customer's policy changes. What is less strict than `base` has no effect, unless `base` allows it.
 */
export function compileCustomerPolicy(base: PolicyDocument, own: PolicyDocument, service: ServiceSettings): Policy {
  const changed = compileDocuments([own, base], service.profile);
  if (base.allowLooserPolicies === true) return changed;
  const kept = compileDocuments([base], service.profile);
  return {
    settings: strictestSettings(complete(kept.settings, service), complete(changed.settings, service)),
    customTypes: changed.customTypes,
    // The lists and recognizers of both.
    find: (text, team) => changed.find(text, team),
    actionOf: (span, value, team) =>
      strictestAction(kept.actionOf(span, value, team), changed.actionOf(span, value, team)),
  };
}

/** What a customer's policy changes, by the names of its fields. */
export interface PolicyComparison {
  /** Fields that are stricter than the policy of the service. */
  readonly stricter: readonly string[];
  /** Fields that are less strict. They have no effect, unless the policy of the service allows it. */
  readonly looser: readonly string[];
}

/**
 * Compares the policy of a customer with that of the service, for reports. A field with the same effect is in no list, and
 * a field that is stricter in one part and looser in another is in both.
 */
export function comparePolicies(base: PolicyDocument, own: PolicyDocument, service: ServiceSettings): PolicyComparison {
  const stricter: string[] = [];
  const looser: string[] = [];
  const compare = (field: string, difference: number): void => {
    if (difference > 0) stricter.push(field);
    if (difference < 0) looser.push(field);
  };
  for (const name of ['profile', 'recall', 'images', 'remoteImages', 'mode'] as const) {
    const [before, after] = [base[name] ?? service[name], own[name] ?? base[name] ?? service[name]];
    compare(name, rank(name, after) - rank(name, before));
  }
  const [before, after] = [base.mappingTTL ?? service.mappingTTL, own.mappingTTL ?? base.mappingTTL];
  compare('mappingTTL', before - (after ?? before));
  if (own.default !== undefined) compareRules('default', ruleOf([base], ''), ruleOf([own, base], ''), compare);
  for (const type of Object.keys(own.entities ?? {})) {
    compareRules(`entities.${type}`, ruleOf([base], type), ruleOf([own, base], type), compare);
  }
  compare('deny', own.deny?.length ?? 0);
  compare('recognizers', own.recognizers?.length ?? 0);
  compare('allow', -(own.allow?.length ?? 0));
  return { stricter, looser };

  function ruleOf(documents: readonly PolicyDocument[], type: EntityType): ResolvedRule {
    return resolveRule(documents, service.profile, type);
  }
}

function compareRules(
  field: string,
  before: ResolvedRule,
  after: ResolvedRule,
  compare: (field: string, difference: number) => void,
): void {
  compare(`${field}.action`, rank('action', after.action) - rank('action', before.action));
  // The threshold of a type that stays as it is has no effect.
  const isCompared = before.action !== 'ignore' && after.action !== 'ignore';
  compare(`${field}.threshold`, isCompared ? (before.threshold ?? 0) - (after.threshold ?? 0) : 0);
}

function rank<Name extends keyof typeof order>(name: Name, value: (typeof order)[Name][number]): number {
  return (order[name] as readonly string[]).indexOf(value);
}

function stricterOf<Name extends keyof typeof order, Value extends (typeof order)[Name][number]>(
  name: Name,
  one: Value,
  other: Value,
): Value {
  return rank(name, one) < rank(name, other) ? other : one;
}

function strictestSettings(one: Settings, other: Settings): Settings {
  return {
    recall: stricterOf('recall', one.recall, other.recall),
    images: stricterOf('images', one.images, other.images),
    remoteImages: stricterOf('remoteImages', one.remoteImages, other.remoteImages),
    mode: stricterOf('mode', one.mode, other.mode),
    mappingTTL: Math.min(one.mappingTTL, other.mappingTTL),
  };
}

function strictestAction(one: Action | undefined, other: Action | undefined): Action | undefined {
  const strictest = stricterOf('action', one ?? 'ignore', other ?? 'ignore');
  return strictest === 'ignore' ? undefined : strictest;
}

function complete(settings: PolicySettings, service: ServiceSettings): Settings {
  const { recall, images, remoteImages, mode, mappingTTL } = service;
  return {
    recall: settings.recall ?? recall,
    images: settings.images ?? images,
    remoteImages: settings.remoteImages ?? remoteImages,
    mode: settings.mode ?? mode,
    mappingTTL: settings.mappingTTL ?? mappingTTL,
  };
}
