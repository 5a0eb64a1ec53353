/**
 * What LiteLLM records of a customer and does not act on (observed on 1.106.2, agents read in its source), and the
 * settings of its configuration that change that. Everything else that it records it enforces.
 */
import type { Field, Fields } from './fields.ts';
import { fieldsOf, isEmpty } from './fields.ts';
import type { ObservedCustomer } from './observedCustomer.ts';

/** What a proxy configuration makes LiteLLM enforce besides what it enforces anyway. */
export interface EnforcementSettings {
  /** The callback `blocked_user_check`, with which it does not start without its enterprise licence. */
  readonly blockedUserCheck: boolean;
  /** The router's `enable_pre_call_checks`, by which it looks for a model of the customer's region. */
  readonly preCallChecks: boolean;
}

/** A field that the gateway records and does not act on. */
export interface Unenforced {
  readonly field: Field;
  /** What to do about it, to follow "for <field>,". */
  readonly remedy: string;
}

interface RecordedOnly {
  readonly remedy: string;
  readonly enforced?: (settings: EnforcementSettings, wanted: Fields) => boolean;
}

const recordedOnly: Readonly<Partial<Record<Field, RecordedOnly>>> = {
  defaultModel: { remedy: 'name the model in each call' },
  allowedModelRegion: {
    remedy:
      'set router_settings.enable_pre_call_checks to true and region_name on each model in the proxy configuration',
    enforced: ({ preCallChecks }) => preCallChecks,
  },
  blocked: {
    remedy: 'set rpmLimit to 0, or load the enterprise callback blocked_user_check in the proxy configuration',
    // A limit of no request is enforced, and comes to the same.
    enforced: ({ blockedUserCheck }, { rpmLimit }) => blockedUserCheck || rpmLimit === 0,
  },
  'objectPermission.vectorStores': { remedy: 'restrict the virtual key or team that calls for the customer' },
  'objectPermission.agents': { remedy: 'restrict the virtual key or team that calls for the customer' },
};

/** The wanted fields that a gateway records and does not act on. A field without a value needs no enforcement. */
export function unenforced(
  wanted: Fields,
  { isLiteLlm }: Pick<ObservedCustomer, 'isLiteLlm'>,
  settings: EnforcementSettings,
): readonly Unenforced[] {
  if (!isLiteLlm) return [];
  return fieldsOf(wanted).flatMap((field) => {
    const known = recordedOnly[field];
    if (known === undefined || isEmpty(wanted[field]) || known.enforced?.(settings, wanted) === true) return [];
    return [{ field, remedy: known.remedy }];
  });
}
