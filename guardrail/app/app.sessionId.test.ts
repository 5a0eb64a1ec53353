import { expect } from 'chai';
import { PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';
import {
  createGuard,
  SessionErasedError,
  type Guard,
  type GuardOptions,
} from '../pseudonymization/pseudonymization.ts';
import { DetectorUnavailableError } from '../detection/detection.ts';
import { ImagesBusyError } from '../images/images.ts';
import { StoreUnavailableError } from '../store/store.ts';

type Body = Record<string, unknown>;

const TEXT = `Mail ${PLANTED.email}.`;
const BLOCKED = `Pay ${PLANTED.iban}.`;

/** A guardrail route: its path, and a call of each phase. */
interface Route {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly request?: (text: string) => Body;
  readonly response?: (text: string) => Body;
}

const basic = (name: string): Route => {
  const call = (input_type: string) => (text: string) => ({ input_type, texts: [text], [`${name}_call_id`]: 'call-1' });
  return { path: `/beta/${name}_basic_guardrail_api`, request: call('request'), response: call('response') };
};
const message = (content: string): Body => ({ role: 'user', content });
const portkey = (eventType: string) => (text: string) => ({
  eventType,
  metadata: { session_id: 'one' },
  request: { json: { messages: [message(text)] } },
  response: { json: { choices: [{ message: message(text) }] } },
});
const messages = (text: string): Body => ({ body: { messages: [message(text)] } });
const choices = (text: string): Body => ({ body: { choices: [{ message: message(text) }] } });
const headers = { 'x-session-id': 'one', 'x-guardrail-team': 'red' };

const ROUTES: readonly Route[] = [
  basic('litellm'),
  basic('gateway'),
  { path: '/v1/peer/check', headers, request: portkey('beforeRequestHook'), response: portkey('afterRequestHook') },
  { path: '/v1/peer/check?dialect=agentgateway', headers, request: messages, response: choices },
  { path: '/request', headers, request: messages },
  { path: '/response', headers, response: choices },
];

const FAILURES: readonly Error[] = [
  new StoreUnavailableError('Redis is unreachable.'),
  new DetectorUnavailableError('The detector did not respond.'),
  new ImagesBusyError('overloaded', 'There are too many images.', 1000),
  new SessionErasedError(),
  new Error('A fault.'),
];

describe('the header x-session-id', () => {
  let failure: Error | undefined;
  /** The real guard, except in tests of failures. */
  const failing = (options: GuardOptions): Guard => {
    const guard = createGuard(options);
    return {
      sessionOf: (identity) => guard.sessionOf(identity),
      request: (...call) => (failure ? Promise.reject(failure) : guard.request(...call)),
      stream: (context) => guard.stream(context),
      piece: (piece, context) => guard.piece(piece, context),
      response: (...call) => (failure ? Promise.reject(failure) : guard.response(...call)),
    };
  };
  let harness: Harness;
  before(async () => {
    const env = { GUARDRAIL_POLICY: 'entities: { IBAN_CODE: block }' };
    harness = await startHarness({ env, guard: failing });
  });
  after(async () => {
    await harness.stop();
  });

  for (const { path, headers: sent = {}, ...phases } of ROUTES) {
    it(`names the session of the call in every response of ${path}`, async () => {
      const seen = new Set<string | null>();
      for (const body of Object.values(phases)) {
        for (const error of [undefined, ...FAILURES]) {
          failure = error;
          for (const text of ['Hello.', TEXT, BLOCKED]) {
            const answer = await harness.call('POST', path, body(text), { headers: sent });
            const what = `${answer.status} ${JSON.stringify(answer.body)}`;
            expect(answer.headers.get('x-session-id'), what).to.match(/^[0-9a-f]{32}$/);
            seen.add(answer.headers.get('x-session-id'));
          }
        }
      }
      expect(seen).to.have.property('size', 1);
    });
  }

  it('is the id that DELETE accepts', async () => {
    failure = undefined;
    const call = ROUTES[0]?.request?.(TEXT) ?? {};
    const id = (await harness.guard(call)).headers.get('x-session-id') ?? '';
    expect((await harness.call('DELETE', `/sessions/${id}`)).body).to.deep.equal({ deleted: true });
  });
});
