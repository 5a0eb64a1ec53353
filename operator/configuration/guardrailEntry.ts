/**
 * Our entry in the gateway's list of guardrails: which settings it has, and what an admin may add to it. Everything else
 * is left out, since many settings of LiteLLM let requests pass by the guardrail, and each version brings more. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** The call of the guardrail, as the gateway makes it. */
export interface GuardrailEntry {
  /** Base address of the guardrail; the gateway appends the path. */
  readonly url: string;
  /** After how many seconds a call counts as failed. The gateway's own default is ten minutes. */
  readonly timeoutSeconds: number;
}

/** What the entry's parameters become. */
export interface EntryParams {
  readonly params: ReadonlyMap<string, unknown>;
  /** Names of what was there and is not taken over. */
  readonly removed: readonly string[];
}

/** Name of our entry in the gateway's list of guardrails. */
export const GUARDRAIL_NAME = 'gateway-guardrail';
/** The environment variable in which the gateway finds the guardrail's API key. */
export const API_KEY_VARIABLE = 'GUARDRAIL_API_KEY';

/** Settings that follow from the instance: another value in the base is no fault. */
const managed = new Set(['api_base', 'api_key', 'timeout']);

/** The settings by which the gateway fails closed whatever happens to the guardrail; LiteLLM reads all of them here. */
function ownParams({ url, timeoutSeconds }: GuardrailEntry): Record<string, unknown> {
  return {
    guardrail: 'generic_guardrail_api',
    mode: ['pre_call', 'post_call'],
    default_on: true,
    api_base: url,
    api_key: `os.environ/${API_KEY_VARIABLE}`,
    // fail_open lets the raw request go on to the model.
    unreachable_fallback: 'fail_closed',
    // false lets it go on after any error.
    fail_on_error: true,
    timeout: timeoutSeconds,
    // The default drops what we change in a stream.
    streaming_transform_mode: 'incremental_diff',
    streaming_end_of_stream_only: false,
    // Without these two, the gateway's own settings of the same names hide messages from every guardrail.
    skip_system_message_in_guardrail: false,
    skip_tool_message_in_guardrail: false,
  };
}

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/);
const headerValue = z.string().regex(/^[\x20-\x7e]*$/);
/** The headers by which the gateway frames its calls and shows its key. */
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

/** @returns what may stay of a value; undefined: nothing. `leaveOut` hears of the parts that may not. */
type Check = (value: unknown, leaveOut: (part: string) => void) => unknown;

/**
 * What an admin may add: it makes the guardrail stricter, or cannot weaken it. A value of another type than LiteLLM
 * expects makes it start without the guardrail, so the form counts too.
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
  /** Names of the client's headers that the guardrail sees. */
  ['extra_headers', (value) => z.array(headerName).safeParse(value).data],
  /** The guardrail sees a stream each time that so many chunks came in. */
  ['streaming_sampling_rate', (value) => z.int().min(1).safeParse(value).data],
  /** Settings of the guardrail for the gateway's calls. */
  [
    'additional_provider_specific_params',
    (value, leaveOut) => partsOf(value, (name, part) => stricter.get(name)?.safeParse(part).success === true, leaveOut),
  ],
]);

/**
 * @param base the parameters that the base has, as plain values
 * @returns ours, and what of the base's may stay
 */
export function entryParams(base: Readonly<Record<string, unknown>>, entry: GuardrailEntry): EntryParams {
  const params = new Map<string, unknown>();
  const removed: string[] = [];
  const ours = new Map(Object.entries(ownParams(entry)));
  for (const [key, value] of Object.entries(base)) {
    if (ours.has(key)) {
      if (!managed.has(key) && !isDeepStrictEqual(value, ours.get(key))) removed.push(key);
      params.set(key, ours.get(key));
      continue;
    }
    const check = allowed.get(key);
    const kept = check?.(value, (name) => removed.push(`${key}.${name}`));
    if (kept === undefined) removed.push(key);
    else if (!isDeepStrictEqual(kept, {})) params.set(key, kept);
  }
  for (const [key, value] of ours) params.set(key, value);
  return { params, removed };
}

/** The parts of a mapping that fit; undefined where it is none. */
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
