import type { Probe } from './probe.ts';
import { BYPASS_PROBES } from './probes/bypass.ts';
import { CHAT_PROBES } from './probes/chat.ts';
import { COMPLETION_PROBES } from './probes/completions.ts';
import { MESSAGES_PROBES } from './probes/messages.ts';
import { OTHER_PROBES } from './probes/otherRoutes.ts';
import { PASS_THROUGH_PROBES } from './probes/passThrough.ts';
import { REALTIME_PROBES } from './probes/realtime.ts';
import { RESPONSES_PROBES } from './probes/responses.ts';
import { MCP_PROBES } from './probes/tools.ts';
import type { Row } from './table.ts';

/** All probes of LiteLLM, in the order of the table. */
export const LITELLM_PROBES: readonly Probe[] = [
  ...CHAT_PROBES,
  ...COMPLETION_PROBES,
  ...RESPONSES_PROBES,
  ...MESSAGES_PROBES,
  ...OTHER_PROBES,
  ...REALTIME_PROBES,
  ...MCP_PROBES,
  ...PASS_THROUGH_PROBES,
  ...BYPASS_PROBES,
];

const unmeasured = (route: string, field: string, why: string): Row => ({
  route,
  field,
  outcome: `*not measured*; leaks according to its source, which calls no guardrail (${why})`,
});

const notMeasured = (route: string, field: string, outcome: string): Row => ({
  route,
  field,
  outcome: `*not measured*: ${outcome}`,
});

/** Routes that no probe can reach through the inline proxy. Its own tests cover them. */
export const INLINE_UNMEASURED: readonly Row[] = [
  notMeasured('`/v1beta/models/{model}:countTokens`', '`contents`', 'LiteLLM requires the package google-genai'),
];

/** Routes that no probe can reach, and why, from the source of LiteLLM 1.106.2. */
export const LITELLM_UNMEASURED: readonly Row[] = [
  unmeasured('`/v1beta/models/{model}:countTokens`', '`contents`', 'requires the package google-genai'),
  unmeasured('`/v1/evals`', 'all fields', 'always calls api.openai.com'),
  unmeasured('`/v1/realtime`', 'sound', 'requires a speech model'),
];
