/** Decides whether a caller may call for the customers that a call names. */
import { hash, type KeyObject } from 'node:crypto';
import { listHash, type ListHash } from './listHash.ts';
import type { CustomerList, CustomerRules } from './readList.ts';

/** Who calls, and for whom. */
export interface NamedCaller {
  /**
   * Every customer that the call names. Which of several counts is up to the gateway, so each must be allowed. undefined:
   * the gateway never tells.
   */
  readonly customers: readonly string[] | undefined;
  /** The team that the gateway identifies. */
  readonly team: string | undefined;
  /** The SHA-256 hashes, in hexadecimal digits, of the API keys of the call. Which of several counts is up to the gateway. */
  readonly keyHashes: readonly string[];
  /** The call may name more customers, which cannot be read. */
  readonly isUnreadable?: boolean;
}

/** What is known about the list, for metrics and probes. */
export interface AccessState {
  readonly revision: string;
  readonly customers: number;
}

/** The decision about a call. */
export interface AccessDecision {
  /** Why the call is refused: a sentence for the client, without a name; undefined: it may pass. */
  readonly refusal: string | undefined;
  /**
   * The revision of the policy of each customer that the call names, or may name; undefined: that customer has none of its
   * own.
   */
  readonly policies: readonly (string | undefined)[];
}

/** The rules about who may call. */
export interface Access {
  /** Decides about a call. Refuses every call while there is no valid list, because nobody knows who may call. */
  decide(caller: NamedCaller): AccessDecision;
  /** undefined: there is no valid list. */
  state(): AccessState | undefined;
}

const REFUSALS = {
  unavailable: 'The guardrail has no valid list of customers, so that it cannot tell who may call: try again later.',
  blocked: 'This customer is blocked.',
  unknown: 'This customer is not known here.',
  unreadable: 'The customer of this call cannot be read: name it once, as a string, in a body of valid JSON.',
  untold: 'The gateway does not tell the guardrail for which customer a call is, and unknown customers may not call.',
  unnamed: 'The call names no customer: set the field user of the request.',
  caller: 'This caller may not call for this customer.',
  policy: 'The guardrail policy of this customer is not available: try again later.',
} as const;

/** Half of a surrogate pair: a gateway may drop it, and read another name. */
function isUnreadable({ customers, isUnreadable: isHidden }: NamedCaller): boolean {
  return customers !== undefined && (isHidden === true || !customers.every((name) => name.isWellFormed()));
}

/** What the list says about a customer that a call names; undefined: nothing. */
type Found = CustomerRules | undefined;

/** @param list the list in force; undefined: there is no valid one */
export function createAccess(key: KeyObject, list: { readonly current: CustomerList | undefined }): Access {
  const hashOf = (kind: 'customer' | 'team' | 'key', id: string): ListHash => listHash(key, kind, id);
  const isCaller = ({ callers }: CustomerRules, { team, keyHashes }: NamedCaller): boolean => {
    if (callers === undefined) return true;
    if (team !== undefined && team !== '' && callers.teams.has(hashOf('team', team))) return true;
    return keyHashes.length > 0 && keyHashes.every((each) => callers.keys.has(hashOf('key', each.toLowerCase())));
  };
  const refusalOf = (
    { unknownCustomers }: CustomerList,
    caller: NamedCaller,
    found: readonly Found[],
  ): string | undefined => {
    const isClosed = unknownCustomers === 'Block';
    if (caller.customers === undefined) return isClosed ? REFUSALS.untold : undefined;
    if (isUnreadable(caller)) return REFUSALS.unreadable;
    if (found.length === 0) return isClosed ? REFUSALS.unnamed : undefined;
    for (const rules of found) {
      if (rules === undefined && isClosed) return REFUSALS.unknown;
      if (rules?.blocked === true) return REFUSALS.blocked;
      if (rules !== undefined && !isCaller(rules, caller)) return REFUSALS.caller;
      if (rules?.policy === null) return REFUSALS.policy;
    }
    return undefined;
  };
  return {
    decide(caller) {
      const { current } = list;
      if (current === undefined) return { refusal: REFUSALS.unavailable, policies: [] };
      if (isUnreadable(caller)) {
        // It may be any customer's call.
        return { refusal: refusalOf(current, caller, []), policies: [undefined, ...current.policies.keys()] };
      }
      const found = (caller.customers ?? []).map((name) => current.find(hashOf('customer', name)));
      return {
        refusal: refusalOf(current, caller, found),
        policies: found.map((rules) => rules?.policy ?? undefined),
      };
    },
    state() {
      const { current } = list;
      return current && { revision: current.revision, customers: current.size };
    },
  };
}

/** The hash under which LiteLLM knows an API key. */
export function keyHashOf(key: string): string {
  return hash('sha256', key);
}
