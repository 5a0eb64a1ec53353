import type { Action, EntityType, KeptBy, Policy, PolicySettings, Span } from '../contract.ts';
import { atOnce, type Steps } from '../../eventLoop.ts';
import { customRule, denyRule } from '../rules.ts';
import { allowedPlaces, compileAllowList, compiled, isAllowed, type AllowList } from './allowList.ts';
import { findOwnValues, type CustomRecognizer, type DeniedValue } from './ownValues.ts';
import { Phrases } from './phrases.ts';
import { defaultProfile, isIgnoredBy, type Profile } from './profiles.ts';
import { CUSTOM_THRESHOLD, firstOf, rememberRules } from './resolveRule.ts';
import type { PolicyDocument, Rules } from './schema.ts';
import { WordPhrases } from './wordPhrases.ts';

/** The rules of a document, or of a team in it. */
interface CompiledRules {
  readonly rules: Rules;
  readonly allow: AllowList;
  /** The denied values, and those whose case counts. */
  readonly deny: readonly WordPhrases<DeniedValue>[];
}

/** A policy document whose lists and patterns are compiled. Several policies can share it. */
export interface CompiledDocument {
  readonly document: PolicyDocument;
  readonly common: CompiledRules;
  readonly teams: ReadonlyMap<string, CompiledRules>;
  readonly recognizers: readonly CustomRecognizer[];
}

/** The rules that apply to a call. The first one that says something decides. */
interface LayeredRules {
  readonly ruleOf: ReturnType<typeof rememberRules>;
  readonly layers: readonly CompiledRules[];
  readonly profile: Profile;
}

/** How denied values are searched: by their words, or, as Presidio does, as they are written. */
export type DenyMode = 'words' | 'asWritten';

/** Compiles a validated policy document. */
export function compileDocument(document: PolicyDocument): CompiledDocument {
  return atOnce(compilingDocument(document));
}

/** {@link compileDocument} in steps: a caller of Presidio's API can send long lists. */
export function* compilingDocument(document: PolicyDocument, mode: DenyMode = 'words'): Steps<CompiledDocument> {
  const common = yield* compilingRules(document, mode);
  const teams = new Map<string, CompiledRules>();
  for (const [team, rules] of Object.entries(document.teams ?? {})) teams.set(team, yield* compilingRules(rules, mode));
  const recognizers: CustomRecognizer[] = [];
  for (const recognizer of document.recognizers ?? []) {
    recognizers.push(customRecognizer(recognizer));
    yield;
  }
  return { document, common, teams, recognizers };
}

/** The policy of one document. Others can be put before it: see {@link layeredPolicy}. */
export interface DocumentPolicy extends Policy {
  readonly compiled: CompiledDocument;
}

/**
 * Compiles a validated policy document to a policy.
 * @param profile the profile if the document has none
 */
export function compilePolicy(document: PolicyDocument, profile: Profile = defaultProfile): DocumentPolicy {
  const compiled = compileDocument(document);
  return { ...layeredPolicy([compiled], profile), compiled };
}

/**
 * The policy of several documents: of two that decide the same, the first one counts. Lists and recognizers add up.
 * @param profile the profile if no document has one
 */
export function layeredPolicy(documents: readonly CompiledDocument[], profile: Profile): Policy {
  const recognizers = documents.flatMap((each) => each.recognizers);
  const layered = (layers: readonly CompiledRules[]): LayeredRules => {
    const own = firstOf(layers, ({ rules }) => rules.profile) ?? profile;
    const rules = layers.map((each) => each.rules);
    return { ruleOf: rememberRules(rules, own), layers, profile: own };
  };
  const common = layered(documents.map((each) => each.common));
  const teams = new Map(
    documents
      .flatMap((each) => [...each.teams.keys()])
      .map((team) => [team, layered(documents.flatMap((each) => [...optional(each.teams.get(team)), each.common]))]),
  );
  const rulesFor = (team: string | undefined): LayeredRules =>
    team === undefined ? common : (teams.get(team) ?? common);
  const setting = <Name extends keyof PolicySettings>(name: Name): PolicySettings[Name] =>
    firstOf(documents, ({ document }): PolicySettings[Name] => document[name]);
  return {
    settings: {
      recall: setting('recall'),
      images: setting('images'),
      remoteImages: setting('remoteImages'),
      unreadText: setting('unreadText'),
      mode: setting('mode'),
      mappingTTL: setting('mappingTTL'),
    },
    customTypes: [...new Set([...documents.flatMap(deniedTypes), ...recognizers.map(({ type }) => type)])],
    *find(text, team) {
      const lists = rulesFor(team).layers.flatMap(({ deny }) => deny);
      if (lists.every(({ size }) => size === 0) && recognizers.length === 0) return [];
      return yield* findOwnValues(text, { lists, recognizers });
    },
    *allowedIn(text, team) {
      return yield* allowedPlaces(
        text,
        rulesFor(team).layers.map(({ allow }) => allow),
      );
    },
    actionOf(span, value, team) {
      const decision = decisionOf(rulesFor(team), span, value);
      return decision === 'pseudonymize' || decision === 'block' ? decision : undefined;
    },
    keptBy(span, value, team) {
      const { layers, profile } = rulesFor(team);
      const decision = decisionOf(rulesFor(team), span, value);
      if (decision === 'allowList' || decision === 'policyThreshold') return decision;
      const isRuled = layers.some(({ rules }) => rules.entities?.[span.type]?.action !== undefined);
      return !isRuled && isIgnoredBy(profile, span.type) ? 'profile' : 'ignored';
    },
  };
}

/** What rules do with a span: the action, or why they keep it. */
function decisionOf({ ruleOf, layers }: LayeredRules, span: Span, value: string): Action | KeptBy {
  const { action, threshold } = ruleOf(span);
  if (span.detector !== 'deny-list') {
    if (layers.some(({ allow }) => isAllowed(allow, span.type, value))) return 'allowList';
    if (span.score < (threshold ?? (span.detector === 'custom' ? CUSTOM_THRESHOLD : 0))) return 'policyThreshold';
  }
  return action === 'ignore' ? 'ignored' : action;
}

/** The policy if none is configured: it pseudonymizes what the default profile covers. */
export const defaultPolicy: DocumentPolicy = compilePolicy({});

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

function deniedTypes({ document }: CompiledDocument): EntityType[] {
  return [document, ...Object.values(document.teams ?? {})].flatMap(({ deny = [] }) => deny.map(({ type }) => type));
}

function* compilingRules(rules: Rules, mode: DenyMode): Steps<CompiledRules> {
  const listOf = (exact: boolean): WordPhrases<DeniedValue> => new WordPhrases({ exact, between: 'anything' });
  const [folded, exact] = [listOf(false), listOf(true)];
  for (const { value, type, caseSensitive } of rules.deny ?? []) {
    const list = caseSensitive === true ? exact : folded;
    if (mode === 'words') list.add(value, { type, rule: denyRule(type) });
    else list.addLiteral(value, { type, rule: denyRule(type) });
    yield;
  }
  return { rules, allow: compileAllowList(rules), deny: [folded, exact] };
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
  return { type, rule: customRule(name), matcher: compiled(pattern), score, context: words };
}
