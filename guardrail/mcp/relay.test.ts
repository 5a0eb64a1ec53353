import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { defaultPolicy, type Policy } from '../detection/detection.ts';
import { createAdmission, createMetrics } from '../http/http.ts';
import type { SubjectId } from '../ids.ts';
import { refuse, type Guard } from '../pseudonymization/pseudonymization.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from '../pseudonymization/testing/testGuard.ts';
import type { UpstreamAnswer } from '../proxy/proxy.ts';
import type { McpCall, McpOptions, Terms } from './call.ts';
import { MAX_CALL_MS, momentOf } from './moment.ts';
import { relayAnswer } from './relay.ts';

const EMAIL = 'anna.schmidt@example.org';
const NAME = 'Zoë "Ännchen" O\\Neill';

const { guard: texts, store } = createTestGuard(createFakeAnalyzer({ [EMAIL]: 'EMAIL_ADDRESS', [NAME]: 'PERSON' }));
/** Refuses files, as that of the service. */
const guard: Guard = {
  ...{ response: texts.response.bind(texts), stream: texts.stream.bind(texts), piece: texts.piece.bind(texts) },
  sessionOf: texts.sessionOf.bind(texts),
  request: (document, context) =>
    document.hasFiles ? Promise.resolve(refuse(texts, context, 'No files.')) : texts.request(document, context),
};
const options: McpOptions = {
  ...{ guard, isFailOpen: () => false, policyOf: () => defaultPolicy, access: undefined, audit: undefined },
  ...{ identityHeaders: undefined, customerHeaders: [], maxBody: 1_000_000, subjectOf: () => '' as SubjectId },
  ...{ fence: () => store.fence(), types: undefined, origins: undefined, upstream: new URL('http://127.0.0.1') },
  admission: createAdmission({ maxRunning: 4, maxWaiting: 4, maxWaitMs: 1000, maxBytes: 10_000_000 }),
  policyRevision: () => undefined,
  metrics: createMetrics(),
  logger: pino({ level: 'silent' }),
};

const ALLOWED: Terms = { policy: defaultPolicy, customers: [], refusal: undefined };

/** Sends a stream in parts. @returns what the client gets, and what the server gets */
async function relayed(
  parts: readonly (Buffer | (() => Promise<Buffer>))[],
  { method = 'POST', begun = momentOf(options), terms = (): Terms => ALLOWED, sent: told = [] as string[] } = {},
): Promise<{ sent: string; refused: string[] }> {
  const sent: Buffer[] = [];
  const refused: string[] = [];
  const note = (bytes: Buffer): void => {
    sent.push(bytes);
    told.push(bytes.toString());
  };
  const client = {
    ...{ signal: new AbortController().signal, hasBegun: true },
    begin: () => undefined,
    flush: () => undefined,
    write: (bytes: Buffer) => {
      note(bytes);
      return Promise.resolve();
    },
    end: () => Promise.resolve(),
    break: note,
  };
  const context = { method, state: { log: {}, requestId: '' } };
  const { identity } = callBy();
  const upstream = { base: options.upstream };
  const call = { context, client, upstream, path: '/', identity, policy: defaultPolicy, terms, begun };
  const answer: UpstreamAnswer = {
    ...{ status: 200, headers: { 'content-type': 'text/event-stream' }, isReady: true },
    async each(take) {
      for (const part of parts) await take(typeof part === 'function' ? await part() : part);
    },
    cancel: () => undefined,
  };
  const refuse = (message: string): Promise<void> => Promise.resolve(void refused.push(message));
  await relayAnswer(call as unknown as McpCall, answer, refuse, options);
  return { sent: Buffer.concat(sent).toString(), refused };
}

const rpc = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', ...fields });
const result = rpc({ id: 1, result: { content: [{ type: 'text', text: `${NAME} <${EMAIL}>` }] } });
const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
const EVENTS = [
  ': ping\n\n',
  'id: 0\ndata: \n\n',
  `event: message\nid: 1\ndata: ${rpc({ method: 'notifications/message', params: { level: 'info', data: [NAME] } })}\n\n`,
  `data: ${result}\r\n\r\n`,
  `data: ${JSON.stringify(JSON.parse(result), undefined, 1).replaceAll('\n', '\ndata: ')}\n\n`,
  `id: 2\ndata: ${rpc({ id: 'a', method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: audio }] } })}\n\n`,
  `data: [${result},${rpc({ method: 'notifications/x', params: { content: [audio] } })}]\n\n`,
];

describe('a stream of an MCP server', () => {
  const event = `data: ${result}\n\n`;

  it('is the same for the client however it is split', async () => {
    const stream = fc
      .array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 6 })
      .map((events) => events.join(''));
    await fc.assert(
      fc.asyncProperty(stream, fc.array(fc.nat(2000), { maxLength: 20 }), async (text, places) => {
        const bytes = Buffer.from(text);
        const cuts = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
        const parts = cuts.slice(1).map((cut, at) => bytes.subarray(cuts[at], cut));
        const split = await relayed(parts.filter((part) => part.length > 0));
        expect(split).to.deep.equal(await relayed([bytes]));
        for (const part of [split.sent, ...split.refused]) expect(part).to.not.match(/anna|Zoë|nnchen|Neill|"AAAA"/);
        expect(split.refused.length).to.equal(text.split('"sampling/').length - 1);
      }),
    );
  });

  const LINES: [lines: string, left: string][] = [
    ['event: message\nid: 7_f3-a.b=\nretry: 500', 'event: message\nid: 7_f3-a.b=\nretry: 500'],
    ['id', ''],
    ['id:', 'id:'],
    [`id: ${EMAIL}`, ''],
    ['id: Anna Schmidt', ''],
    ['retry: soon', ''],
    [`for: ${EMAIL}`, ''],
  ];
  for (const [lines, left] of LINES) {
    it(`keeps of ${JSON.stringify(lines)} what is plain`, async () => {
      const { sent } = await relayed([Buffer.from(`${lines}\n${event}`)]);
      expect(sent.split('\n').slice(0, -3).join('\n')).to.equal(left);
      expect(sent).to.include('data: {');
    });
  }

  it('keeps only the id of an event with another name', async () => {
    const { sent } = await relayed([Buffer.from(`event: ${EMAIL}\nid: 3\n${event}`)]);
    expect(sent).to.equal('id: 3\n\n');
  });

  const erase = (): Promise<unknown> => store.eraseSession(guard.sessionOf(callBy().identity));
  const afterErasure = async (bytes: string): Promise<Buffer> => {
    await erase();
    return Buffer.from(bytes);
  };
  it('stores no value that was erased since its call began', async () => {
    const { sent } = await relayed([() => afterErasure(event)]);
    expect(sent).to.match(/"id":1,"error":.*session_erased/);
    expect(await store.describe(guard.sessionOf(callBy().identity))).to.equal(undefined);
    expect((await relayed([Buffer.from(event)])).sent).to.include('EMAIL_ADDRESS_');
  });

  it('by GET stores what arrives after an erasure, and nothing that began to arrive before', async () => {
    const late = [Buffer.from(event), () => afterErasure(event)];
    expect((await relayed(late, { method: 'GET' })).sent).to.not.include('error');
    const cut = [
      Buffer.from(event + event.slice(0, 20)),
      () => afterErasure(event.slice(20) + event),
      Buffer.from(event),
    ];
    const { sent } = await relayed(cut, { method: 'GET' });
    expect(sent.split('\n\n').map((one) => one.includes('session_erased'))).to.deep.equal([
      ...[false, true, true, false],
      false,
    ]);
  });

  it('ends a call with an error when erasures since it began may be forgotten', async () => {
    const begun = { ...momentOf(options), at: performance.now() - MAX_CALL_MS - 1 };
    const { sent } = await relayed([Buffer.from(event)], { begun });
    expect(JSON.parse(sent.slice('data: '.length)))
      .to.deep.include({ id: 1 })
      .and.have.nested.property('error.data.code', 'call_too_long');
    expect((await relayed([Buffer.from(event)], { method: 'GET', begun })).sent).to.include('EMAIL_ADDRESS_');
  });

  it('has the policy that is in force when each message arrives, and ends when the call is refused', async () => {
    const other: Policy = { ...defaultPolicy };
    const left: Terms[] = [ALLOWED, { ...ALLOWED, policy: other }, { ...ALLOWED, refusal: 'Blocked.' }];
    const used: (Policy | undefined)[] = [];
    const request = guard.request.bind(guard);
    guard.request = (document, context) => {
      used.push(context.policy);
      return request(document, context);
    };
    const sent: string[] = [];
    const error = await relayed([Buffer.from(event.repeat(4))], { terms: () => left.shift() ?? ALLOWED, sent }).catch(
      (thrown: unknown) => thrown,
    );
    guard.request = request;
    expect(used).to.deep.equal([defaultPolicy, other]);
    expect(used[1]).to.equal(other);
    expect(error).to.have.property('code', 'guardrail_blocked');
    expect(sent).to.have.length(3);
    expect(sent[2]).to.match(/^event: message\ndata: .*"Blocked\."/);
  });
});
