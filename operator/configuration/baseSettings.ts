import { z } from 'zod';
import { entriesOf, parseBase, ProxyConfigError, rootOf, valueOf } from './proxyConfigDocument.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';

const general = z.object({
  user_header_name: z.string().optional().catch(undefined),
  user_header_mappings: z.unknown().optional(),
});
const mapping = z.object({ header_name: z.string(), litellm_user_role: z.string() });
/** The names of headers that the guardrail accepts. */
const headerName = /^[a-z0-9!#$%&*+.^_|~-]{1,64}$/;

/**
 * The headers in which LiteLLM looks for the customer of a call according to the gateway's configuration, in lower case:
 * `user_header_name` and `user_header_mappings` of `general_settings`. LiteLLM reads the first only if the second has none;
 * the guardrail reads both, because every name in a call counts. Invalid settings count as absent.
 */
export function customerHeadersOf(base: string): string[] {
  try {
    const document = parseBase(base);
    const sections = entriesOf(document, rootOf(document));
    const { success, data } = general.safeParse(valueOf(document, sections.get('general_settings')));
    if (!success) return [];
    const named = [...mappedHeaders(data.user_header_mappings), data.user_header_name ?? ''];
    return [...new Set(named.map((name) => name.trim().toLowerCase()))].filter((name) => headerName.test(name));
  } catch (error) {
    if (!(error instanceof ProxyConfigError)) throw error;
    return [];
  }
}

/** One mapping, or a list of them. */
function mappedHeaders(mappings: unknown): string[] {
  return [mappings].flat().flatMap((each) => {
    const { success, data } = mapping.safeParse(each);
    return success && data.litellm_user_role.toLowerCase() === 'customer' ? [data.header_name] : [];
  });
}

const withCallbacks = z.object({ callbacks: z.union([z.string(), z.array(z.unknown())]) });
const withPreCallChecks = z.object({ enable_pre_call_checks: z.literal(true) });

/** What LiteLLM enforces according to the gateway's configuration. Invalid settings count as absent. */
export function enforcementOf(base: string, proxyName: string): EnforcementSettings {
  try {
    const document = parseBase(base);
    const sections = entriesOf(document, rootOf(document));
    const valueAt = (key: string): unknown => valueOf(document, sections.get(key));
    const { callbacks } = withCallbacks.safeParse(valueAt(`${proxyName}_settings`)).data ?? { callbacks: [] };
    return {
      blockedUserCheck: [callbacks].flat().includes('blocked_user_check'),
      preCallChecks: withPreCallChecks.safeParse(valueAt('router_settings')).success,
    };
  } catch (error) {
    if (!(error instanceof ProxyConfigError)) throw error;
    return { blockedUserCheck: false, preCallChecks: false };
  }
}
