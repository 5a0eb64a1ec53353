/** What the policy of a customer changes, for reports. Pure. */
import type { EntityType } from '../contract.ts';
import { generalTypeOf } from '../../entityTypes.ts';
import { CUSTOM_THRESHOLD, firstOf, resolveRule, type ResolvedRule } from './resolveRule.ts';
import type { PolicyDocument, Rules } from './schema.ts';
import { compareStrictness, completeSettings, strictestSettings, type ServiceSettings } from './strictness.ts';

/** What a customer's policy changes, by the names of fields: `recall`, `entities.PERSON`, `default`, `deny`, `teams.sales`. */
export interface PolicyComparison {
  /** What is stricter than in the policy of the service. */
  readonly stricter: readonly string[];
  /** What is less strict. It has an effect only where the service allows it. */
  readonly looser: readonly string[];
}

/** The documents that are compared, and what applies where they say nothing. */
export interface ComparedPolicies {
  readonly service: PolicyDocument;
  readonly customer: PolicyDocument;
  readonly settings: ServiceSettings;
  /** The types that detectors find. Types that a document names are compared as well. */
  readonly types: Iterable<EntityType>;
}

/**
 * Compares the policy of a customer with that of the service. What has the same effect is in no list. What is stricter in
 * one part and looser in another, such as a type with another action and another threshold, is in both.
 */
export function comparePolicies({ service, customer, settings, types }: ComparedPolicies): PolicyComparison {
  const changes = new Changes();
  for (const name of ['recall', 'images', 'remoteImages', 'unreadText', 'mode'] as const) {
    const before = service[name] ?? settings[name];
    changes.add(name, compareStrictness(name, before, customer[name] ?? before));
  }
  const before = service.mappingTTL ?? settings.mappingTTL;
  changes.add('mappingTTL', before - (customer.mappingTTL ?? before));
  changes.add('recognizers', customer.recognizers?.length ?? 0);
  const named = new Set([...typesOf(service), ...typesOf(customer)]);
  const compare = (base: readonly Rules[], first: readonly Rules[]): Changes =>
    compareRules([...first, ...base], base, { profile: settings.profile, types, named });
  const common = compare([service], [customer]);
  const teams = [...Object.keys(service.teams ?? {}), ...Object.keys(customer.teams ?? {})].map((team) => {
    const rulesIn = ({ teams: all = {} }: PolicyDocument): Rules[] => (all[team] === undefined ? [] : [all[team]]);
    const compared = compare([...rulesIn(service), service], [...rulesIn(customer), customer]);
    return [`teams.${team}`, compared.without(common)] as const;
  });
  for (const [team, { stricter, looser }] of teams) {
    changes.add(team, stricter.size);
    changes.add(team, -looser.size);
  }
  return { stricter: [...changes.stricter, ...common.stricter], looser: [...changes.looser, ...common.looser] };
}

/**
 * The settings that apply to the calls of a customer.
 * @param allowLooser whether the service allows less strict ones
 */
export function effectiveSettings(
  { service, customer, settings }: Omit<ComparedPolicies, 'types'>,
  allowLooser: boolean,
): ServiceSettings {
  const base = completeSettings(service, settings);
  const wanted = completeSettings(customer, base);
  return allowLooser ? wanted : strictestSettings([base, wanted]);
}

/** The names of what changes. */
class Changes {
  readonly stricter = new Set<string>();
  readonly looser = new Set<string>();

  /** @param difference positive: stricter; negative: looser */
  add(name: string, difference: number): void {
    if (difference > 0) this.stricter.add(name);
    if (difference < 0) this.looser.add(name);
  }

  without(others: Changes): Pick<Changes, 'stricter' | 'looser'> {
    const rest = (own: ReadonlySet<string>, known: ReadonlySet<string>): Set<string> =>
      new Set([...own].filter((name) => !known.has(name)));
    return { stricter: rest(this.stricter, others.stricter), looser: rest(this.looser, others.looser) };
  }
}

/** Stands for all types that nothing names. */
const OTHER = '';
/** A profile does not apply to what a policy itself finds. */
const detectors = ['builtin', 'custom'] as const;

interface RuleOptions {
  readonly profile: ServiceSettings['profile'];
  readonly types: Iterable<EntityType>;
  /** The types that the documents name. Others are part of `default`, where the same is true of them. */
  readonly named: ReadonlySet<EntityType>;
}

function compareRules(after: readonly Rules[], before: readonly Rules[], options: RuleOptions): Changes {
  const changes = new Changes();
  const { types, named } = options;
  const differences = (type: EntityType): readonly number[] => differencesOf(type, after, before, options);
  for (const difference of differences(OTHER)) changes.add('default', difference);
  for (const type of new Set([...named, ...types])) {
    const general = generalTypeOf(type);
    // What a more general name says is not repeated.
    const wider = general !== type && named.has(general) ? general : OTHER;
    const said = wider === OTHER && named.has(type) ? [] : differences(wider);
    for (const difference of differences(type)) {
      if (difference !== 0 && !said.includes(difference)) changes.add(`entities.${type}`, difference);
    }
  }
  const first = after.slice(0, after.length - before.length);
  changes.add('deny', first.flatMap(({ deny = [] }) => deny).length);
  changes.add('allow', -first.flatMap(({ allow = [] }) => allow).length);
  return changes;
}

/** How much stricter the rules of a type are, for each detector: by their action and their threshold. */
function differencesOf(
  type: EntityType,
  after: readonly Rules[],
  before: readonly Rules[],
  { profile }: RuleOptions,
): number[] {
  const ruleIn = (layers: readonly Rules[], detector: string): ResolvedRule =>
    resolveRule(layers, firstOf(layers, (rules) => rules.profile) ?? profile, { type, detector });
  return detectors.flatMap((detector) => {
    const [was, is] = [ruleIn(before, detector), ruleIn(after, detector)];
    // The threshold of a type that stays as it is has no effect.
    const isFound = was.action !== 'ignore' && is.action !== 'ignore';
    return [
      Math.sign(compareStrictness('action', was.action, is.action)),
      isFound ? Math.sign(thresholdOf(was, detector) - thresholdOf(is, detector)) : 0,
    ];
  });
}

function thresholdOf({ threshold }: ResolvedRule, detector: (typeof detectors)[number]): number {
  return threshold ?? (detector === 'custom' ? CUSTOM_THRESHOLD : 0);
}

/** The types that a document names or finds, with those that they belong to. */
function typesOf({ recognizers = [], teams = {}, ...rules }: PolicyDocument): EntityType[] {
  const named = [rules, ...Object.values(teams)].flatMap(({ entities = {}, deny = [] }: Rules) => [
    ...Object.keys(entities),
    ...deny.map(({ type }) => type),
  ]);
  return [...named, ...recognizers.map(({ type }) => type)].flatMap((type) => [type, generalTypeOf(type)]);
}
