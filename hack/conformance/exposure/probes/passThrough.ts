import { chat, user } from '../../chatCases.ts';
import { type Probe, request } from '../probe.ts';

/** Paths that the suite's configuration passes through to the model server. */
export const PASS_THROUGH = { plain: '/handed-on', guarded: '/handed-on-guarded' } as const;

const reply = { json: { ok: true } } as const;

/** Routes that pass a call through to a provider in its own format. */
export const PASS_THROUGH_PROBES: readonly Probe[] = [
  request('pass_through_endpoints', 'any body', (value) => ({ note: `Mail ${value}` }), {
    path: PASS_THROUGH.plain,
    reply,
  }),
  request('pass_through_endpoints', 'any query', () => ({}), {
    path: `${PASS_THROUGH.plain}?about={value}`,
    method: 'GET',
    reply,
  }),
  request(
    'pass_through_endpoints',
    'any body where `guardrails` names this one',
    (value) => ({ note: `Mail ${value}` }),
    {
      path: PASS_THROUGH.guarded,
      reply,
    },
  ),
  request('/openai/{path}', '`messages`', (value) => chat(`Mail ${value}`), { path: '/openai/chat/completions' }),
  request(
    '/anthropic/{path}',
    '`messages`',
    (value) => ({ model: 'echo-c7', max_tokens: 100, messages: [user(`Mail ${value}`)] }),
    { path: '/anthropic/v1/messages' },
  ),
];
