/** The policy of each call: that of the service, or of the customers that the call names. */
import { CustomerListError, type CustomerList } from '../customers/customers.ts';
import {
  compileDocument,
  layeredPolicy,
  parsePolicy,
  PolicyError,
  strictestPolicy,
  type CompiledDocument,
  type DocumentPolicy,
  type EntityType,
  type Policy,
  type ServiceSettings,
} from '../detection/detection.ts';

/** The policies that customers have. */
export interface CustomerPolicies {
  readonly byRevision: ReadonlyMap<string, CompiledDocument>;
  /** Whether they may hide less than the policy of the service. */
  readonly allowLooser: boolean;
}

/** The policies in force. Each can change at any time. */
export interface PolicySources {
  readonly service: { readonly current: DocumentPolicy };
  readonly customers: { readonly current: CustomerPolicies };
  /** What applies where no policy has a setting. */
  readonly settings: ServiceSettings;
}

export interface CallPolicies {
  /** The policy of calls that name no customer with a policy of its own. */
  readonly service: () => Policy;
  /**
   * The policy of a call. Which of several customers counts is up to the gateway, so the strictest of their policies applies.
   * @param revisions the policy of each customer that the call names; undefined: the customer has none of its own
   * @param trial a policy to try in place of that of the service
   * @throws RangeError if a revision is not in force
   */
  readonly of: (revisions: readonly (string | undefined)[], trial?: DocumentPolicy) => Policy;
  /** All policies in force. */
  readonly all: () => readonly Policy[];
  /** The types of the deny lists and recognizers of all policies: an answer can contain their pseudonyms. */
  readonly customTypes: () => readonly EntityType[];
}

/**
 * Reads the policies of a customer list. A policy that stays in the list is not compiled again.
 * @returns a function that throws CustomerListError for a policy that this service cannot read
 */
export function createPolicyReader(): (list: CustomerList) => CustomerPolicies {
  let byRevision: ReadonlyMap<string, CompiledDocument> = new Map();
  return ({ policies, allowLooserPolicies }) => {
    byRevision = new Map(
      Array.from(policies, ([revision, text]) => [revision, byRevision.get(revision) ?? read(revision, text)]),
    );
    return { byRevision, allowLooser: allowLooserPolicies };
  };
}

function read(revision: string, text: string): CompiledDocument {
  try {
    return compileDocument(parsePolicy(text));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new CustomerListError(`contains the policy ${revision}, which this version of the guardrail cannot read.`, {
      cause: error,
    });
  }
}

/** No customer has a policy of its own. */
export const NO_CUSTOMER_POLICIES: CustomerPolicies = { byRevision: new Map(), allowLooser: false };

export function createCallPolicies({ service, customers, settings }: PolicySources): CallPolicies {
  let known: InForce | undefined;
  /** Made again only when a source changes. */
  const inForce = (): InForce => {
    const { current: own } = service;
    const { current: others } = customers;
    if (known?.service !== own || known.customers !== others) {
      const byRevision = combined(own, others, settings);
      const all = [own, ...byRevision.values()];
      const customTypes = [...new Set(all.flatMap((policy) => policy.customTypes))];
      known = { service: own, customers: others, byRevision, all, customTypes };
    }
    return known;
  };
  return {
    service: () => service.current,
    of(revisions, trial) {
      const own = trial ?? service.current;
      const named = [...new Set(revisions)];
      if (named.every((revision) => revision === undefined)) return own;
      const byRevision = trial ? combined(trial, only(customers.current, named), settings) : inForce().byRevision;
      const policies = named.map((revision) => {
        if (revision === undefined) return own;
        const policy = byRevision.get(revision);
        if (policy === undefined) throw new RangeError('The policy of a customer is not in force.');
        return policy;
      });
      return strictestPolicy(policies, settings);
    },
    all: () => inForce().all,
    customTypes: () => inForce().customTypes,
  };
}

/** The policies of one moment. */
interface InForce {
  readonly service: DocumentPolicy;
  readonly customers: CustomerPolicies;
  readonly byRevision: ReadonlyMap<string, Policy>;
  readonly all: readonly Policy[];
  readonly customTypes: readonly EntityType[];
}

/** The policies of some customers. */
function only(
  { byRevision, allowLooser }: CustomerPolicies,
  revisions: readonly (string | undefined)[],
): CustomerPolicies {
  return { byRevision: new Map([...byRevision].filter(([revision]) => revisions.includes(revision))), allowLooser };
}

/** The policies of customers, over that of the service. */
function combined(
  service: DocumentPolicy,
  { byRevision, allowLooser }: CustomerPolicies,
  settings: ServiceSettings,
): ReadonlyMap<string, Policy> {
  return new Map(
    Array.from(byRevision, ([revision, own]) => {
      const wanted = layeredPolicy([own, service.compiled], settings.profile);
      return [revision, allowLooser ? wanted : strictestPolicy([service, wanted], settings)];
    }),
  );
}
