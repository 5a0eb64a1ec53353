import { parse } from 'yaml';
import { z } from 'zod';
import type { DevGatewayOptions } from './gateway.ts';

/** The supported settings of a gateway's configuration file, in the format of the real gateway. All others are ignored. */
export type FromProxyConfig = Pick<DevGatewayOptions, 'guardrail' | 'guardrailTimeoutMs'>;

const ENVIRONMENT = 'os.environ/';

/**
 * Reads the start configuration of a real gateway: which guardrail it calls.
 * @param text the file, in YAML
 * @param environment the values of `os.environ/NAME`
 * @throws Error with one sentence if a gateway could not read the file
 */
export function readProxyConfig(
  text: string,
  proxyName: string,
  environment: Readonly<Record<string, string | undefined>>,
): FromProxyConfig {
  const params = z.object({
    guardrail: z.string(),
    default_on: z.boolean().default(false),
    api_base: z.url(),
    api_key: z.string(),
    timeout: z.number().positive().optional(),
    // With other values, the real gateway behaves in ways that are not implemented here. This gateway must not appear safer.
    unreachable_fallback: z.literal('fail_closed').optional(),
    fail_on_error: z.literal(true).optional(),
    streaming_transform_mode: z.literal('incremental_diff').optional(),
    streaming_end_of_stream_only: z.literal(false).optional(),
    skip_system_message_in_guardrail: z.literal(false).optional(),
    skip_tool_message_in_guardrail: z.literal(false).optional(),
    extra_headers: z.array(z.string()).optional(),
    optional_params: z.undefined().optional(),
  });
  const schema = z.object({ guardrails: z.array(z.object({ [`${proxyName}_params`]: params })).nullish() });
  const parsed = schema.safeParse(parse(text, { merge: true }) ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`The configuration file is invalid at ${issue?.path.join('.') ?? 'its top'}: ${issue?.message}.`);
  }
  const entry = (parsed.data.guardrails ?? [])
    .map((each) => each[`${proxyName}_params`])
    .find((each) => each?.guardrail === 'generic_guardrail_api' && each.default_on);
  if (entry === undefined) return {};
  return {
    guardrail: { url: entry.api_base, key: lookUp(entry.api_key, environment) },
    ...(entry.timeout !== undefined && { guardrailTimeoutMs: entry.timeout * 1000 }),
  };
}

function lookUp(value: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (!value.startsWith(ENVIRONMENT)) return value;
  const name = value.slice(ENVIRONMENT.length);
  const found = environment[name];
  // Fails at start, because the guardrail would refuse every call without the key.
  if (found === undefined || found === '') throw new Error(`Set ${name}, which the configuration file refers to.`);
  return found;
}
