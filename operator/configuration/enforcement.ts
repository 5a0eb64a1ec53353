import { z } from 'zod';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import { entriesOf, parseBase, ProxyConfigError, rootOf, valueOf } from './proxyConfigDocument.ts';

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
