/**
 * Which of two policies is stricter. The policy of a customer only adds to what the policy of the service hides, unless the
 * service allows more. Pure.
 */
import type { Action, AllowedPlace, Policy, PolicySettings, Span } from '../contract.ts';
import type { Profile } from './profiles.ts';

/** The values of each setting, from the least strict to the strictest. */
export const strictness = {
  profile: ['personal', 'confidential'],
  recall: ['precise', 'balanced', 'thorough'],
  images: ['pass', 'redact', 'block'],
  remoteImages: ['pass', 'block'],
  unreadText: ['note', 'mask', 'block'],
  mode: ['monitor', 'enforce'],
  action: ['ignore', 'pseudonymize', 'block'],
} as const;

type Ordered = typeof strictness;

/** The settings of the service, which apply where a policy has none. */
export interface ServiceSettings extends Required<{
  [Name in keyof PolicySettings]: NonNullable<PolicySettings[Name]>;
}> {
  readonly profile: Profile;
}

/** @returns a positive number if the second value is stricter, a negative one if it is less strict */
export function compareStrictness<Name extends keyof Ordered>(
  name: Name,
  before: Ordered[Name][number],
  after: Ordered[Name][number],
): number {
  const order: readonly string[] = strictness[name];
  return order.indexOf(after) - order.indexOf(before);
}

/**
 * A policy that hides what any of several policies hides. The strictest action decides each finding, and the strictest
 * value each setting. Where findings of different types overlap, types decide, as in every policy.
 * @param policies at least one
 */
export function strictestPolicy(policies: readonly Policy[], service: ServiceSettings): Policy {
  const [only, ...others] = policies;
  if (only !== undefined && others.length === 0) return only;
  return {
    settings: strictestSettings(policies.map(({ settings }) => completeSettings(settings, service))),
    customTypes: [...new Set(policies.flatMap(({ customTypes }) => customTypes))],
    *find(text, team) {
      const spans: Span[] = [];
      for (const policy of policies) for (const span of yield* policy.find(text, team)) spans.push(span);
      return distinct(spans);
    },
    *allowedIn(text, team) {
      let places: readonly AllowedPlace[] | undefined;
      for (const policy of policies) places = inBoth(places, yield* policy.allowedIn(text, team));
      return [...(places ?? [])];
    },
    actionOf: (span, value, team) =>
      policies.map((policy) => policy.actionOf(span, value, team)).reduce(strictestAction, undefined),
    keptBy: (span, value, team) => policies[0]?.keptBy(span, value, team) ?? 'ignored',
  };
}

/** The places that two policies allow for the same types. @param before undefined: everything */
function inBoth(before: readonly AllowedPlace[] | undefined, places: readonly AllowedPlace[]): readonly AllowedPlace[] {
  if (before === undefined) return places;
  const keyOf = ({ start, end }: AllowedPlace): string => `${start}-${end}`;
  const others = Map.groupBy(before, keyOf);
  return places.flatMap(({ types, ...place }) =>
    (others.get(keyOf({ types, ...place })) ?? []).map((other) => {
      if (other.types === 'all' || types === 'all')
        return { ...place, types: other.types === 'all' ? types : other.types };
      return { ...place, types: types.filter((each) => other.types.includes(each)) };
    }),
  );
}

function strictestAction(one: Action | undefined, other: Action | undefined): Action | undefined {
  return compareStrictness('action', one ?? 'ignore', other ?? 'ignore') > 0 ? other : one;
}

/** Settings of a policy, with those of the service where it has none. */
export function completeSettings(
  {
    profile,
    recall,
    images,
    remoteImages,
    unreadText,
    mode,
    mappingTTL,
  }: PolicySettings & { readonly profile?: Profile | undefined },
  service: ServiceSettings,
): ServiceSettings {
  return {
    profile: profile ?? service.profile,
    recall: recall ?? service.recall,
    images: images ?? service.images,
    remoteImages: remoteImages ?? service.remoteImages,
    unreadText: unreadText ?? service.unreadText,
    mode: mode ?? service.mode,
    mappingTTL: mappingTTL ?? service.mappingTTL,
  };
}

/** The strictest value of each setting. @param all at least one */
export function strictestSettings(all: readonly ServiceSettings[]): ServiceSettings {
  return all.reduce((one, other) => ({
    profile: stricterOf('profile', one.profile, other.profile),
    recall: stricterOf('recall', one.recall, other.recall),
    images: stricterOf('images', one.images, other.images),
    remoteImages: stricterOf('remoteImages', one.remoteImages, other.remoteImages),
    unreadText: stricterOf('unreadText', one.unreadText, other.unreadText),
    mode: stricterOf('mode', one.mode, other.mode),
    mappingTTL: Math.min(one.mappingTTL, other.mappingTTL),
  }));
}

function stricterOf<Name extends keyof Ordered, Value extends Ordered[Name][number]>(
  name: Name,
  one: Value,
  other: Value,
): Value {
  return compareStrictness(name, one, other) > 0 ? other : one;
}

function distinct(spans: readonly Span[]): Span[] {
  return [
    ...new Map(
      spans.map((span) => [`${span.start}-${span.end} ${span.type} ${span.detector} ${span.score}`, span]),
    ).values(),
  ];
}
