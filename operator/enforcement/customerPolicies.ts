/** Chooses the policy of each customer in a list. */
import type { GatewayCustomer, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { customerPolicyKey, mayReferToPolicy, PolicyNotUsableError, usablePolicy } from '../policy/policy.ts';
import { keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { isOwner } from './listedCustomers.ts';

/** The policies of a list. */
export interface ChosenPolicies {
  /** The revision of each customer's policy, by the uid of the customer; null: it has one that is not available. */
  readonly ofCustomer: ReadonlyMap<string, string | null>;
  /** The texts of all these policies, by their revisions. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The sources of {@link choosePolicies}. */
export interface ChoiceSources {
  readonly policies: Pick<Lister<GuardrailPolicy>, 'get'>;
  /** The texts of the policies in the list that is stored, by their revisions. Called only if one is needed. */
  readonly stored: () => ReadonlyMap<string, string>;
}

/**
 * Chooses the policies of customers. While a policy is missing, not valid or paused, its customers keep the one that the
 * stored list has: a mistake in a policy opens nothing.
 */
export async function choosePolicies(
  { policies, stored }: ChoiceSources,
  customers: readonly GatewayCustomer[],
): Promise<ChosenPolicies> {
  const usable = new Map<string, Usable | undefined>();
  const choose = async (customer: GatewayCustomer, key: ObjectKey): Promise<Chosen | undefined> => {
    const name = keyText(key);
    // Many customers have the same policy.
    if (!usable.has(name)) usable.set(name, await read(policies, key));
    const current = usable.get(name);
    return current?.isPaused === false ? current : (kept(customer, policies.get(key), key, stored) ?? current);
  };
  const ofCustomer = new Map<string, string | null>();
  const texts = new Map<string, string>();
  for (const customer of customers) {
    const key = isOwner(customer) ? customerPolicyKey(customer) : undefined;
    if (key === undefined) continue;
    const chosen = mayReferToPolicy(customer, key) ? await choose(customer, key) : undefined;
    ofCustomer.set(customer.metadata.uid, chosen?.revision ?? null);
    if (chosen !== undefined) texts.set(chosen.revision, chosen.text);
  }
  return { ofCustomer, texts };
}

interface Chosen {
  readonly revision: string;
  readonly text: string;
}

type Usable = Chosen & { readonly isPaused: boolean };

async function read(policies: ChoiceSources['policies'], key: ObjectKey): Promise<Usable | undefined> {
  try {
    return await usablePolicy(policies, key);
  } catch (error) {
    if (error instanceof PolicyNotUsableError) return undefined;
    throw error;
  }
}

/** The policy of the stored list: the one that the customer has, or else the last valid one of its resource. */
function kept(
  customer: GatewayCustomer,
  policy: GuardrailPolicy | undefined,
  key: ObjectKey,
  stored: ChoiceSources['stored'],
): Chosen | undefined {
  const { guardrailPolicy } = customer.status ?? {};
  const own = guardrailPolicy?.name === keyText(key) ? guardrailPolicy.revision : undefined;
  for (const revision of [own, policy?.status?.revision]) {
    const text = revision === undefined ? undefined : stored().get(revision);
    if (revision !== undefined && text !== undefined) return { revision, text };
  }
  return undefined;
}
