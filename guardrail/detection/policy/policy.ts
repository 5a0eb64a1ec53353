import type { Action, EntityType, Policy, Span } from '../contract.ts';
import type { RE2JS } from 're2js';
import { findInAllSpellings } from '../text/foldedView.ts';
import { compileLinear, eachMatch } from './linearPattern.ts';
import { generalTypeOf } from '../publicTypes.ts';
import { Phrases } from './phrases.ts';
import { defaultProfile, isIgnoredBy, type Profile } from './profiles.ts';
import type { PolicyDocument, RuleDocument, Rules } from './schema.ts';

interface AllowList {
  readonly values: Phrases<readonly EntityType[] | 'all'>;
  readonly patterns: readonly { readonly matcher: RE2JS; readonly types: readonly EntityType[] | 'all' }[];
}

interface TeamPolicy {
  readonly profile: Profile;
  readonly rules: readonly Rules[];
  readonly allow: readonly AllowList[];
  readonly deny: Phrases<EntityType>;
}

interface CustomRecognizer {
  readonly name: string;
  readonly type: EntityType;
  readonly matcher: RE2JS;
  readonly score: number;
  readonly context: Phrases<true> | undefined;
}

/** How much a context word near a match raises its score; the value is Presidio's. */
const contextBonus = 0.35;
/** The longest distance of a context word from a match, in UTF-16 code units. */
const contextDistance = 60;
/** The lowest score of a custom recognizer's match if the policy has no threshold for its type. */
const customThreshold = 0.5;

/** Spans that the policy itself found. Somebody asked for exactly these values, so the profile does not apply to them. */
const ownDetectors: ReadonlySet<string> = new Set(['deny-list', 'custom']);

/**
 * Compiles a validated policy document.
 * @param profile the profile if the document has none
 */
export function compilePolicy(document: PolicyDocument, profile: Profile = defaultProfile): Policy {
  const recognizers = (document.recognizers ?? []).map(customRecognizer);
  const teamPolicy = (rules: readonly Rules[]): TeamPolicy => compileRules(rules, profile);
  const common = teamPolicy([document]);
  const teams = new Map(
    Object.entries(document.teams ?? {}).map(([team, rules]) => [team, teamPolicy([rules, document])]),
  );
  const policyOf = (team: string | undefined): TeamPolicy =>
    team === undefined ? common : (teams.get(team) ?? common);
  const denied = [document, ...Object.values(document.teams ?? {})].flatMap(({ deny = [] }) =>
    deny.map(({ type }) => type),
  );
  const { recall, images, remoteImages, mode, mappingTTL } = document;
  return {
    settings: { recall, images, remoteImages, mode, mappingTTL },
    customTypes: [...new Set([...denied, ...recognizers.map(({ type }) => type)])],
    find(text, team) {
      const { deny } = policyOf(team);
      if (deny.size === 0 && recognizers.length === 0) return [];
      // Values that the foldings join may belong to different cells or lines.
      return findInAllSpellings(
        text,
        (spelling) => findOwn(spelling, deny, recognizers),
        (_, { difference }) => difference === 'characters',
      );
    },
    actionOf(span, value, team) {
      const teamPolicy = policyOf(team);
      const { action, threshold } = ruleFor(teamPolicy, span);
      if (span.detector !== 'deny-list' && teamPolicy.allow.some((list) => isAllowed(list, span.type, value)))
        return undefined;
      if (
        span.detector !== 'deny-list' &&
        span.score < (threshold ?? (span.detector === 'custom' ? customThreshold : 0))
      )
        return undefined;
      return action === 'ignore' ? undefined : action;
    },
  };
}

/** The policy if none is configured: it pseudonymizes what the default profile covers. */
export const defaultPolicy: Policy = compilePolicy({});

/** @param rules the team's, then the common ones; the first with a profile decides. */
function compileRules(rules: readonly Rules[], profile: Profile): TeamPolicy {
  const deny = new Phrases<EntityType>({ exact: false });
  for (const { value, type } of rules.flatMap((each) => each.deny ?? [])) deny.add(value, type);
  return {
    profile: rules.find((each) => each.profile !== undefined)?.profile ?? profile,
    rules,
    allow: rules.map(allowList),
    deny,
  };
}

function allowList({ allow = [] }: Rules): AllowList {
  const values = new Phrases<readonly EntityType[] | 'all'>({ exact: false });
  const patterns: AllowList['patterns'][number][] = [];
  for (const entry of allow) {
    const types = ('types' in entry ? entry.types : undefined) ?? 'all';
    if ('value' in entry) values.add(entry.value, types);
    else patterns.push({ matcher: compiled(entry.pattern), types });
  }
  return { values, patterns };
}

function isAllowed({ values, patterns }: AllowList, type: EntityType, value: string): boolean {
  const covers = (types: readonly EntityType[] | 'all' | undefined): boolean =>
    types === 'all' || (types?.some((each) => each === type || each === generalTypeOf(type)) ?? false);
  return covers(values.get(value)) || patterns.some(({ matcher, types }) => covers(types) && matcher.matches(value));
}

/**
 * Resolves the rule of a type. Precedence: the rules of the type, the profile, the rules of its general type, the defaults. Of
 * two rules or defaults, the team's precedes the common one.
 */
function ruleFor(
  { rules, profile }: TeamPolicy,
  { type, detector }: Span,
): { readonly action: Action | 'ignore'; readonly threshold: number | undefined } {
  const rulesOf = (each: EntityType): (RuleDocument | undefined)[] => rules.map(({ entities }) => entities?.[each]);
  const general = generalTypeOf(type);
  const candidates: RuleDocument[] = [
    ...rulesOf(type),
    isIgnoredBy(profile, type) && !ownDetectors.has(detector) ? { action: 'ignore' as const } : undefined,
    ...(general === type ? [] : rulesOf(general)),
    ...rules.map((each) => each.default),
  ].filter((rule) => rule !== undefined);
  return {
    action: candidates.find((rule) => rule.action !== undefined)?.action ?? 'pseudonymize',
    threshold: candidates
      .map((rule) => ('threshold' in rule ? rule.threshold : undefined))
      .find((threshold) => threshold !== undefined),
  };
}

function customRecognizer({
  name,
  type,
  pattern,
  score,
  context,
}: NonNullable<PolicyDocument['recognizers']>[number]): CustomRecognizer {
  let words: Phrases<true> | undefined;
  if (context && context.length > 0) {
    words = new Phrases({ exact: false });
    for (const word of context) words.add(word, true);
  }
  return { name, type, matcher: compiled(pattern), score, context: words };
}

function compiled(pattern: string): RE2JS {
  const { matcher, problem } = compileLinear(pattern);
  if (!matcher) throw new Error(`A pattern of the policy ${problem}.`);
  return matcher;
}

/** The values of the deny list and of custom recognizers, as they are written. */
function findOwn(text: string, deny: Phrases<EntityType>, recognizers: readonly CustomRecognizer[]): Span[] {
  const spans: Span[] = [];
  deny.find(text, (start, end, type) => spans.push({ start, end, type, score: 1, detector: 'deny-list' }));
  for (const recognizer of recognizers) spans.push(...findCustom(recognizer, text));
  return spans;
}

function findCustom({ type, matcher, score, context }: CustomRecognizer, text: string): Span[] {
  const spans: Span[] = [];
  eachMatch(matcher, text, (start, end) => {
    const hasContext =
      context?.occursIn(text.slice(Math.max(0, start - contextDistance), end + contextDistance)) ?? false;
    spans.push({ start, end, type, score: Math.min(1, hasContext ? score + contextBonus : score), detector: 'custom' });
  });
  return spans;
}
