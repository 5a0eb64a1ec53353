/**
 * The operator's entry in the gateway's list of guardrails: its settings, and the settings that an admin may add. All
 * others are removed, because many settings of LiteLLM let requests bypass the guardrail, and each version adds more.
 * Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { PSEUDONYMIZED_HEADER } from '../../guardrail/guardrail.ts';
import type { GuardrailCallback } from '../api/v1alpha1/v1alpha1.ts';

/** How the gateway calls the guardrail. */
export interface GuardrailEntry {
  /** Which of its clients the gateway uses. */
  readonly callback: GuardrailCallback;
  /** Base address of the guardrail; the gateway appends the path. */
  readonly url: string;
  /** Timeout of a call in seconds. The gateway's own default is ten minutes. */
  readonly timeoutSeconds: number;
}

/** The rendered parameters of the entry. */
export interface EntryParams {
  readonly params: ReadonlyMap<string, unknown>;
  /** The names of parameters of the base that were removed. */
  readonly removed: readonly string[];
}

/** Name of the operator's entry in the gateway's list of guardrails. */
export const GUARDRAIL_NAME = 'gateway-guardrail';
/** The environment variable from which the gateway reads the guardrail's API key. */
export const API_KEY_VARIABLE = 'GUARDRAIL_API_KEY';

/** Settings that follow from the instance, whatever their value. They replace the base's without a warning. */
const managed = new Set(['api_base', 'api_key', 'timeout']);

/** The gateway's names of its clients. */
const CLIENTS: Readonly<Record<GuardrailCallback, string>> = {
  Generic: 'generic_guardrail_api',
  Full: 'llm_shield_proxy',
};

const CALLBACKS = Object.keys(CLIENTS) as GuardrailCallback[];

/** The settings with which the gateway fails closed in every case. LiteLLM reads all of them from the entry. */
function ownParams({ callback, url, timeoutSeconds }: GuardrailEntry): Record<string, unknown> {
  const common = {
    guardrail: CLIENTS[callback],
    mode: ['pre_call', 'post_call'],
    default_on: true,
    api_base: url,
    api_key: `os.environ/${API_KEY_VARIABLE}`,
  };
  // This client reads no other setting: it always fails closed, after 10 s, and shows system and tool messages.
  if (callback === 'Full') return common;
  return {
    ...common,
    // fail_open sends the original request to the model.
    unreachable_fallback: 'fail_closed',
    // false does the same after every error.
    fail_on_error: true,
    timeout: timeoutSeconds,
    // The default drops the guardrail's changes in a stream.
    streaming_transform_mode: 'incremental_diff',
    streaming_end_of_stream_only: false,
    // Without these two, the gateway's own settings of the same names hide messages from every guardrail.
    skip_system_message_in_guardrail: false,
    skip_tool_message_in_guardrail: false,
    // Without the value of this header, a guardrail does not know the calls of its own inline proxy.
    extra_headers: [PSEUDONYMIZED_HEADER],
  };
}

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/);
/** Names of the client's headers that the guardrail receives, besides its own. */
const extraHeaders = z.array(headerName);
const headerValue = z.string().regex(/^[\x20-\x7e]*$/);
/** Headers that the gateway sets itself, for framing and for its key. */
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'x-api-key',
]);
const stricter = new Map<string, z.ZodType>([
  ['recall', z.enum(['precise', 'balanced', 'thorough'])],
  ['block_entities', z.array(z.string().max(128)).max(200)],
  ['images', z.literal('block')],
]);

/** @returns the allowed part of a value; undefined if nothing is allowed. Calls `leaveOut` for each removed part. */
type Check = (value: unknown, leaveOut: (part: string) => void) => unknown;

/**
 * Parameters that an admin may add for the client Generic, because they cannot weaken the guardrail. Their types are checked, because LiteLLM
 * starts without the guardrail if a value has an unexpected type.
 */
const allowed = new Map<string, Check>([
  /** Static headers of the calls to the guardrail. */
  [
    'headers',
    (value, leaveOut) =>
      partsOf(
        value,
        (name, part) =>
          headerName.safeParse(name).success &&
          !reservedHeaders.has(name.toLowerCase()) &&
          headerValue.safeParse(part).success,
        leaveOut,
      ),
  ],
  /** Number of stream chunks after which the gateway calls the guardrail. */
  ['streaming_sampling_rate', (value) => z.int().min(1).safeParse(value).data],
  /** Settings of the guardrail for the gateway's calls. */
  [
    'additional_provider_specific_params',
    (value, leaveOut) => partsOf(value, (name, part) => stricter.get(name)?.safeParse(part).success === true, leaveOut),
  ],
]);

/**
 * Renders the parameters of the entry.
 * @param base the parameters of the base, as plain values
 */
export function entryParams(base: Readonly<Record<string, unknown>>, entry: GuardrailEntry): EntryParams {
  const params = new Map<string, unknown>();
  const removed: string[] = [];
  const ours = new Map(Object.entries(ownParams(entry)));
  const shown = ours.has('extra_headers') ? extraHeaders.safeParse(base.extra_headers).data : undefined;
  if (shown) ours.set('extra_headers', [...new Set([...shown, PSEUDONYMIZED_HEADER])]);
  const addable = entry.callback === 'Generic' ? allowed : new Map<string, Check>();
  for (const [key, value] of Object.entries(base)) {
    const isChanged = !isOfAnyClient(key, value, entry);
    if (ours.has(key)) {
      if (isChanged && !(key === 'extra_headers' && shown)) removed.push(key);
      params.set(key, ours.get(key));
      continue;
    }
    if (!isChanged) continue;
    const check = addable.get(key);
    const kept = check?.(value, (name) => removed.push(`${key}.${name}`));
    if (kept === undefined) removed.push(key);
    else if (!isDeepStrictEqual(kept, {})) params.set(key, kept);
  }
  for (const [key, value] of ours) params.set(key, value);
  return { params, removed };
}

/** Whether a parameter of the base is as the operator writes it for one of the clients: the spec may have changed. */
function isOfAnyClient(key: string, value: unknown, entry: GuardrailEntry): boolean {
  if (managed.has(key)) return true;
  return CALLBACKS.some((callback) => isDeepStrictEqual(value, ownParams({ ...entry, callback })[key]));
}

/** The allowed parts of a mapping; undefined if the value is not a mapping. */
function partsOf(
  value: unknown,
  fits: (name: string, value: unknown) => boolean,
  leaveOut: (part: string) => void,
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([name, part]) => {
      const fit = fits(name, part);
      if (!fit) leaveOut(name);
      return fit;
    }),
  );
}
