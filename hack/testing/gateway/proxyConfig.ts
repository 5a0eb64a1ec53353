import { parse } from 'yaml';
import { z } from 'zod';
import type { DevGatewayOptions } from './gateway.ts';

/** What of a gateway's configuration file this one acts on, as the real gateway words it. Everything else is let be. */
export type FromProxyConfig = Pick<DevGatewayOptions, 'guardrail' | 'guardrailTimeoutMs' | 'maxEndUserBudgetId'>;

const ENVIRONMENT = 'os.environ/';

/**
 * Reads the configuration that a real gateway is given at start: which guardrail it calls, and whose budget holds for
 * customers without one.
 * @param text the file, in YAML
 * @param environment where `os.environ/NAME` is looked up
 * @throws Error with one sentence where the file is not what a gateway could read
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
    // With other values the real gateway behaves as this one cannot: it must not look safer here than it is there.
    unreachable_fallback: z.literal('fail_closed').optional(),
    fail_on_error: z.literal(true).optional(),
    streaming_transform_mode: z.literal('incremental_diff').optional(),
    streaming_end_of_stream_only: z.literal(false).optional(),
    skip_system_message_in_guardrail: z.literal(false).optional(),
    skip_tool_message_in_guardrail: z.literal(false).optional(),
    optional_params: z.undefined().optional(),
  });
  const schema = z.object({
    guardrails: z.array(z.object({ [`${proxyName}_params`]: params })).nullish(),
    [`${proxyName}_settings`]: z.object({ max_end_user_budget_id: z.string().optional() }).nullish(),
  });
  const parsed = schema.safeParse(parse(text, { merge: true }) ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`The configuration file is not right at ${issue?.path.join('.') ?? 'its top'}: ${issue?.message}.`);
  }
  const config = parsed.data as Record<string, unknown>;
  const settings = config[`${proxyName}_settings`] as { max_end_user_budget_id?: string } | null | undefined;
  const entries = (config.guardrails ?? []) as Record<string, z.infer<typeof params>>[];
  const entry = entries
    .map((each) => each[`${proxyName}_params`])
    .find((each) => each?.guardrail === 'generic_guardrail_api' && each.default_on);
  return {
    maxEndUserBudgetId: settings?.max_end_user_budget_id,
    ...(entry === undefined
      ? {}
      : {
          guardrail: { url: entry.api_base, key: lookUp(entry.api_key, environment) },
          ...(entry.timeout === undefined ? {} : { guardrailTimeoutMs: entry.timeout * 1000 }),
        }),
  };
}

function lookUp(value: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (!value.startsWith(ENVIRONMENT)) return value;
  const name = value.slice(ENVIRONMENT.length);
  const found = environment[name];
  // Without it every call would be refused by the guardrail: better not to start.
  if (found === undefined || found === '') throw new Error(`Set ${name}, which the configuration file refers to.`);
  return found;
}
