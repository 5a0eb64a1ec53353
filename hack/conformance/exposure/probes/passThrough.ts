import { type Probe, probesOf } from '../probe.ts';
import { BODY } from './bodies.ts';

/** Paths that the suite's configuration passes through to the model server. */
export const PASS_THROUGH = { plain: '/handed-on', guarded: '/handed-on-guarded' } as const;

/** Routes that pass a call through to a provider in its own format. */
export const PASS_THROUGH_PROBES: readonly Probe[] = probesOf(
  { body: BODY },
  `
pass_through_endpoints:
  - [body, any body, { note: Mail $value }, { path: ${PASS_THROUGH.plain}, reply: { ok: true } }]
  - [body, any query, {}, { path: '${PASS_THROUGH.plain}?about={value}', method: GET, reply: { ok: true } }]
  - [body, any body where <guardrails> names this one, { note: Mail $value },
      { path: ${PASS_THROUGH.guarded}, reply: { ok: true } }]
'/openai/{path}':
  - [body, <messages>, { model: echo-c7, messages: [{ role: user, content: Mail $value }] },
      { path: /openai/chat/completions }]
'/anthropic/{path}':
  - [body, <messages>, { model: echo-c7, max_tokens: 100, messages: [{ role: user, content: Mail $value }] },
      { path: /anthropic/v1/messages }]
`,
);
