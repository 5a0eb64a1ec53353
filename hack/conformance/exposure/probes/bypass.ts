import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { CHAT, chat } from '../../chatCases.ts';
import type { Answer } from '../../client.ts';
import { type Probe, request, sentBy } from '../probe.ts';

/** The guardrail's name in hack/samples/litellm/config.yaml. */
export const GUARDRAIL = 'gateway-guardrail';

const KEY = 'a key';
const TEAM = 'a team';

/** Sends a chat with a key that the admin creates for it. If the creation fails, returns its answer. */
function byKey(
  route: string,
  field: string,
  { key = {}, team, path = CHAT }: { key?: JsonObject; team?: JsonObject; path?: string },
): Probe {
  return sentBy(route, field, 'request', async ({ client, admin }, value) => {
    const madeTeam = team === undefined ? undefined : await admin.post('/team/new', team);
    const refused = madeTeam !== undefined && madeTeam.status !== 200 ? madeTeam : undefined;
    const made = refused ?? (await admin.post('/key/generate', { ...key, ...teamOf(madeTeam) }));
    if (typeof made.body.key !== 'string') return { status: made.status, text: JSON.stringify(made.body) };
    return client.raw(path, { body: chat(`Mail ${value}`) }, { key: made.body.key });
  });
}

function teamOf(made: Answer | undefined): JsonObject {
  return made === undefined ? {} : { team_id: made.body.team_id ?? null };
}

/** Settings of keys and calls that may bypass the guardrail. */
export const BYPASS_PROBES: readonly Probe[] = [
  byKey(KEY, 'without the settings below', {}),
  byKey(KEY, '`disable_global_guardrails`', { key: { disable_global_guardrails: true } }),
  byKey(KEY, '`metadata.disable_global_guardrails`', { key: { metadata: { disable_global_guardrails: true } } }),
  byKey(KEY, '`metadata.opted_out_global_guardrails`', {
    key: { metadata: { opted_out_global_guardrails: [GUARDRAIL] } },
  }),
  byKey(KEY, 'a chat where `allowed_routes` names it', { key: { allowed_routes: [CHAT] } }),
  byKey(KEY, '`/queue/chat/completions` where `allowed_routes` does not name it', {
    key: { allowed_routes: [CHAT] },
    path: '/queue/chat/completions',
  }),
  byKey(TEAM, '`disable_global_guardrails`', { team: { disable_global_guardrails: true } }),
  byKey(TEAM, '`metadata.disable_global_guardrails`', { team: { metadata: { disable_global_guardrails: true } } }),
  byKey(TEAM, '`metadata.opted_out_global_guardrails`', {
    team: { metadata: { opted_out_global_guardrails: [GUARDRAIL] } },
  }),
  ...(
    [
      ['`disable_global_guardrails`', { disable_global_guardrails: true }],
      ['`opted_out_global_guardrails`', { opted_out_global_guardrails: [GUARDRAIL] }],
      ['`guardrails: []`', { guardrails: [] }],
      ['`metadata.disable_global_guardrails`', { metadata: { disable_global_guardrails: true } }],
      ['`metadata.opted_out_global_guardrails`', { metadata: { opted_out_global_guardrails: [GUARDRAIL] } }],
      ['`litellm_metadata.disable_global_guardrails`', { litellm_metadata: { disable_global_guardrails: true } }],
    ] as const
  ).map(([field, more]): Probe => ({
    ...request(CHAT, field, (value) => chat(`Mail ${value}`, more as JsonObject)),
    route: 'what a client sends',
  })),
];
