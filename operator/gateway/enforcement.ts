/**
 * The customer fields that LiteLLM records and does not enforce (observed on 1.106.2, agents from its source), and the
 * settings of the proxy configuration that enforce them. LiteLLM enforces all other recorded fields.
 */
import type { Field, Fields } from './fields.ts';
import { fieldsOf, isEmpty } from './fields.ts';
import type { ObservedCustomer } from './customerRecord.ts';

/** The settings of a proxy configuration that make LiteLLM enforce more fields. */
export interface EnforcementSettings {
  /** The callback `blocked_user_check`. LiteLLM does not start with it unless it has an enterprise licence. */
  readonly blockedUserCheck: boolean;
  /** The router's `enable_pre_call_checks`. With it, the router selects a model of the customer's region. */
  readonly preCallChecks: boolean;
  /** Whether the guardrail of the instance enforces who may call. */
  readonly guardrail?: boolean;
}

/** A field that the gateway records and does not enforce. */
export interface Unenforced {
  readonly field: Field;
  /** The remedy. It follows "for <field>,". */
  readonly remedy: string;
}

interface RecordedOnly {
  readonly remedy: string;
  readonly enforced?: (settings: EnforcementSettings, desired: Fields) => boolean;
}

const recordedOnly: Readonly<Partial<Record<Field, RecordedOnly>>> = {
  defaultModel: { remedy: 'name the model in each call' },
  allowedModelRegion: {
    remedy:
      'set router_settings.enable_pre_call_checks to true and region_name on each model in the proxy configuration',
    enforced: ({ preCallChecks }) => preCallChecks,
  },
  blocked: {
    remedy:
      'set rpmLimit to 0, let the guardrail of the instance enforce it, or load the enterprise callback blocked_user_check in the proxy configuration',
    // LiteLLM enforces a limit of zero requests, which has the same effect.
    enforced: ({ blockedUserCheck, guardrail = false }, { rpmLimit }) =>
      guardrail || blockedUserCheck || rpmLimit === 0,
  },
  'objectPermission.vectorStores': { remedy: 'restrict the virtual key or team that calls for the customer' },
  'objectPermission.agents': { remedy: 'restrict the virtual key or team that calls for the customer' },
};

/** The desired fields that a gateway records and does not enforce. Fields without a value are omitted. */
export function unenforced(
  desired: Fields,
  { isLiteLlm }: Pick<ObservedCustomer, 'isLiteLlm'>,
  settings: EnforcementSettings,
): readonly Unenforced[] {
  if (!isLiteLlm) return [];
  return fieldsOf(desired).flatMap((field) => {
    const known = recordedOnly[field];
    if (known === undefined || isEmpty(desired[field]) || known.enforced?.(settings, desired) === true) return [];
    return [{ field, remedy: known.remedy }];
  });
}
