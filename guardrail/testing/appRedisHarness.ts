/** Test support: calls from several users of a team to a service with Redis. */
import { eventually, startHarness, type Answer, type Harness } from './appHarness.ts';

export interface Body {
  readonly action: string;
  readonly texts: string[];
  readonly error: { code: string; message: string };
}

const identityOf = (user: string): Record<string, unknown> => ({
  litellm_call_id: 'call',
  request_data: { user_api_key_team_id: 'team', user_api_key_end_user_id: user },
});
export const request = (harness: Harness, user: string, text: string): Promise<Answer> =>
  harness.guard({ ...identityOf(user), input_type: 'request', texts: [text] });
export const response = (harness: Harness, user: string, text: string): Promise<Answer> =>
  harness.guard({ ...identityOf(user), input_type: 'response', texts: [text] });
export const textOf = (answer: Answer): string => (answer.body as Partial<Body>).texts?.[0] ?? '';
export const ready = async (harness: Harness): Promise<boolean> =>
  (await harness.call('GET', '/readyz')).status === 200;

export const storeOf = (readiness: Answer): { up: boolean; since?: string; reason?: string } =>
  (readiness.body as { dependencies: { store: { up: boolean; since?: string; reason?: string } } }).dependencies.store;

/** Starts the service, and waits until it is ready. */
export async function startReady(url: string, env: NodeJS.ProcessEnv = {}): Promise<Harness> {
  const harness = await startHarness({ env: { GUARDRAIL_STORE: url, ...env } });
  await eventually(() => ready(harness));
  return harness;
}
