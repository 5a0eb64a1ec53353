/** Finds out whether applications name their end users. Without one, all people who use the same key share a session. */
import * as z from 'zod';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { callGuardrail, type GuardrailEndpoint, guardrailEndpoints } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';

/** Asks a guardrail when it last got a call without an end user. @returns undefined: never, or it does not answer */
export type AskLastCall = (instance: GatewayInstance, signal: AbortSignal) => Promise<Date | undefined>;

/** How often a guardrail is asked, in milliseconds. */
const ASK_MS = 10 * 60_000;
/** How long the time in the status is recent enough, in milliseconds. */
const RECENT_MS = 60 * 60_000;
/** How long after such a call the condition reports it, in milliseconds. */
const REPORTED_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 2_000;

const answer = z.object({ last_call_without_end_user: z.iso.datetime().nullable() });

/** Asks one pod of the guardrail. A call soon reaches each pod. */
export function lastCallOf(
  source: { readonly client: Pick<KubeClient, 'get' | 'list' | 'portForward'> },
  resolve?: (url: string) => string,
): AskLastCall {
  return async (instance, signal) => {
    const endpoints = await guardrailEndpoints(source, instance, resolve);
    const endpoint: GuardrailEndpoint | undefined =
      endpoints?.mode === 'Sidecar' ? endpoints.pods[0] : endpoints?.service;
    if (endpoint === undefined) return undefined;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const { status, body } = await callGuardrail(endpoint, { method: 'GET', path: '/configuration', signal: limited });
    if (status !== 200) return undefined;
    const { last_call_without_end_user: time } = answer.parse(JSON.parse(body));
    return typeof time === 'string' ? new Date(time) : undefined;
  };
}

/** Whether a call without an end user shares its session with others, according to the spec. */
function mayShareSessions({ spec: { guardrail } }: GatewayInstance): boolean {
  return guardrail !== undefined && guardrail.requireEndUser !== true && (guardrail.sessionScope ?? 'User') === 'User';
}

/** What a reconcile needs to ask a guardrail. */
export interface AskContext {
  readonly ask: AskLastCall;
  readonly now: Date;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: number;
  /** When the guardrail was last asked, by the same clock; undefined: never. Set by this function. */
  readonly state: { lastCallAskedAt: number | undefined };
}

/**
 * When a guardrail last got a call without an end user: the time in the status, or a later one that the guardrail reports. A
 * guardrail that does not answer is asked again later.
 */
export async function lastCallWithoutEndUser(
  instance: GatewayInstance,
  { ask, now, monotonic, state }: AskContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!mayShareSessions(instance)) return undefined;
  const known = instance.status?.guardrail?.lastCallWithoutEndUser;
  const isRecent = known !== undefined && now.getTime() - Date.parse(known) < RECENT_MS;
  const isAsked = state.lastCallAskedAt !== undefined && monotonic - state.lastCallAskedAt < ASK_MS;
  if (isRecent || isAsked || instance.status?.guardrailReady !== 'True') return known;
  state.lastCallAskedAt = monotonic;
  const reported = await ask(instance, signal).catch(() => undefined);
  return reported !== undefined && (known === undefined || reported.getTime() > Date.parse(known))
    ? reported.toISOString()
    : known;
}

/** The sentences with which the condition of the guardrail reports such calls; undefined: there was none for a day. */
export function sharedSessionsNote(lastCall: string | undefined, now: Date): string | undefined {
  if (lastCall === undefined || now.getTime() - Date.parse(lastCall) >= REPORTED_MS) return undefined;
  return 'Warning: an application names no end user in its calls, so the people who use its key share one session and can get values of each other. Send the field user with each call, and set spec.guardrail.requireEndUser to refuse calls without it.';
}
