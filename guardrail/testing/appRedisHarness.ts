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
/** The first text of an answer. @throws Error if it has none, such as that of a refused call */
export function textOf({ status, body }: Answer): string {
  const [text] = (body as Partial<Body>).texts ?? [];
  if (text === undefined) throw new Error(`The answer has status ${status} and no text: ${JSON.stringify(body)}`);
  return text;
}
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
