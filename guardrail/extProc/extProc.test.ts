import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { PLANTED, startHarness, type Harness } from '../testing/appHarness.ts';
import { chunk, completion } from '../testing/inlineHarness.ts';
import {
  ModelEnvoy,
  type Changed,
  type EnvoyCall,
  type Message,
  type Mode,
  type Outcome,
} from './testing/modelEnvoy.ts';

const { email, otherEmail } = PLANTED;
const PSEUDONYM = /<EMAIL_ADDRESS_[A-Z0-9]+>/;
const TOKEN = 'Bearer sk-of-a-client';

const HEAD = {
  ':method': 'POST',
  ':path': '/v1/chat/completions',
  ':scheme': 'http',
  ':authority': 'gateway.example',
  'content-type': 'application/json',
  authorization: TOKEN,
};
const JSON_HEAD = { ':status': '200', 'content-type': 'application/json' };
const EVENTS_HEAD = { ':status': '200', 'content-type': 'text/event-stream' };

const chat = (content: string, fields: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...fields }));

const contentOf = ({ body }: Pick<Changed, 'body'>): string =>
  (JSON.parse(body.toString()) as { messages: { content: string }[] }).messages.at(-1)?.content ?? '';

/** Answers with what the last message says, as a whole. */
const echo = (sent: Changed): Message => ({ headers: JSON_HEAD, parts: [Buffer.from(completion(contentOf(sent)))] });

/** Answers with what the last message says, in events of three characters. */
const echoStream = (sent: Changed): Message => {
  const pieces = contentOf(sent).match(/.{1,3}/gsu) ?? [];
  const events = [...pieces.map((piece) => chunk(piece)), chunk('', 'stop'), 'data: [DONE]\n\n'];
  return { headers: EVENTS_HEAD, parts: events.map((event) => Buffer.from(event)) };
};

/** The text of all events. */
const streamedText = (body: Buffer): string =>
  [...body.toString().matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text).join('');

const MODES: readonly (readonly [request: Mode, response: Mode])[] = [
  ['FULL_DUPLEX_STREAMED', 'FULL_DUPLEX_STREAMED'],
  ['BUFFERED', 'STREAMED'],
  ['BUFFERED', 'BUFFERED'],
  ['FULL_DUPLEX_STREAMED', 'STREAMED'],
  ['BUFFERED', 'FULL_DUPLEX_STREAMED'],
];

describe("Envoy's external processor", () => {
  let harness: Harness;
  let envoy: ModelEnvoy;
  before(async () => {
    harness = await startHarness({
      env: {
        GUARDRAIL_EXT_PROC_PORT: '0',
        GUARDRAIL_MAX_BODY: '1MiB',
        GUARDRAIL_POLICY: 'entities: { IBAN_CODE: { action: block } }',
      },
    });
    envoy = new ModelEnvoy(harness.app.extProcPort ?? 0);
  });
  after(async () => {
    envoy.close();
    await harness.stop();
  });

  const call = (fields: Partial<EnvoyCall> = {}, upstream = echo): Promise<Outcome> =>
    envoy.call({ headers: HEAD, parts: [chat(`Write to ${email}.`)], ...fields }, upstream);

  for (const [request, response] of MODES) {
    describe(`with a request body ${request} and an answer ${response}`, () => {
      const modes = { request, response };

      it('replaces a value in a request, and restores it in the answer', async () => {
        const outcome = await call(modes);
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        expect(contentOf(outcome.sent)).to.match(PSEUDONYM).and.not.include(email);
        expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
        expect(outcome.headers).to.include({ ':status': '200', 'content-type': 'application/json' });
        expect(outcome.headers['x-session-id']).to.match(/^[0-9a-f]{32}$/);
        expect(outcome.sent.headers).to.deep.include({ ...HEAD, 'accept-encoding': 'identity' });
      });

      it('restores a stream', async () => {
        const outcome = await call({ ...modes, parts: [chat(`Write to ${email}.`, { stream: true })] }, echoStream);
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        expect(streamedText(outcome.body)).to.equal(`Write to ${email}.`);
        expect(outcome.body.toString()).to.match(/data: \[DONE\]\n\n$/);
      });

      it('decodes bodies, and describes the ones that it sends', async () => {
        for (const [name, encode] of [
          ['gzip', gzipSync],
          ['br', brotliCompressSync],
          ['zstd', zstdCompressSync],
        ] as const) {
          const body = encode(chat(`Write to ${email}.`));
          const headers = { ...HEAD, 'content-encoding': name, 'content-length': String(body.length), digest: 'x' };
          const outcome = await call({ ...modes, headers, parts: [body] }, (sent) => {
            const [answer = Buffer.alloc(0)] = echo(sent).parts;
            const encoded = encode(answer);
            const length = String(encoded.length);
            return {
              headers: { ...JSON_HEAD, 'content-encoding': name, 'content-length': length, etag: 'x' },
              parts: [encoded],
            };
          });
          if (outcome.kind !== 'answer') throw new Error(outcome.kind);
          expect(contentOf(outcome.sent)).to.match(PSEUDONYM);
          expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
          for (const changed of [outcome.sent, outcome]) {
            expect(changed.headers).to.not.have.any.keys('content-encoding', 'digest', 'etag');
            const length = changed.headers['content-length'];
            if (length !== undefined) expect(Number(length)).to.equal(changed.body.length);
          }
        }
      });

      it('takes parts and trailers, and sends no trailers to the upstream', async () => {
        const body = chat(`Write to ${email}.`);
        const parts = [body.subarray(0, 60), Buffer.alloc(0), body.subarray(60)];
        const outcome = await call({ ...modes, parts, trailers: { 'x-trailer': email } });
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        expect(contentOf(outcome.sent)).to.match(PSEUDONYM);
        expect(outcome.sent.trailers).to.deep.equal({});
        expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
      });

      it('restores an answer with trailers, or refuses it where its end has no place', async () => {
        const trailers = { 'x-trailer': 'one' };
        const outcome = await call(modes, (sent) => ({ ...echo(sent), trailers }));
        if (response === 'STREAMED') expect(outcome.kind).to.equal('error');
        else {
          if (outcome.kind !== 'answer') throw new Error(outcome.kind);
          expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
          expect(outcome.trailers).to.deep.equal(trailers);
        }
      });

      it('lets calls without bodies pass', async () => {
        const headers = { ...HEAD, ':method': 'GET', ':path': '/v1/models' };
        const outcome = await call({ ...modes, headers, parts: [] }, () => ({
          headers: { ':status': '204' },
          parts: [],
        }));
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        expect(outcome.headers[':status']).to.equal('204');
      });

      it('replaces a value in a query', async () => {
        for (const parts of [[], [chat('Hello')]]) {
          const path = `/v1/${parts.length > 0 ? 'chat/completions' : 'models'}?who=${email}&limit=10`;
          const headers = { ...HEAD, ':method': parts.length > 0 ? 'POST' : 'GET', ':path': path };
          const outcome = await call({ ...modes, headers, parts }, () => ({
            headers: { ':status': '204' },
            parts: [],
          }));
          if (outcome.kind !== 'answer') throw new Error(outcome.kind);
          expect(decodeURIComponent(outcome.sent.headers[':path'] ?? '')).to.match(
            /\?who=<EMAIL_ADDRESS_\w+>&limit=10$/,
          );
        }
      });

      it('refuses a block before anything is sent', async () => {
        const outcome = await call({ ...modes, parts: [chat(`Pay ${PLANTED.iban}`, { stream: true })] }, echoStream);
        if (outcome.kind !== 'immediate') throw new Error(outcome.kind);
        expect([outcome.status, outcome.sent]).to.deep.equal([400, undefined]);
        expect(outcome.headers['content-type']).to.equal('application/json; charset=utf-8');
        const { error } = JSON.parse(outcome.body.toString()) as { error: Record<string, unknown> };
        expect(error).to.include({ type: 'invalid_request_error', code: 'guardrail_blocked' });
      });

      it('never lets an answer pass that it cannot read', async () => {
        const garbage = Buffer.from('{"choices":[{"message":{"content":"<EMAIL');
        const outcome = await call(modes, () => ({ headers: JSON_HEAD, parts: [garbage] }));
        if (outcome.kind === 'answer') throw new Error('The answer passed.');
        expect(outcome.body.toString()).to.not.include('<EMAIL');
        // In the mode STREAMED, the head is on its way to the client already.
        expect(outcome.kind).to.equal(response === 'STREAMED' ? 'error' : 'immediate');
      });
    });
  }

  const REFUSED: [what: string, fields: Partial<EnvoyCall>, status: number, code: string][] = [
    ['an unknown path', { headers: { ...HEAD, ':path': '/v1/unknown' } }, 404, 'unknown_route'],
    ['an administrative path', { headers: { ...HEAD, ':path': '/key/generate' } }, 404, 'admin_route'],
    ['a path of two readings', { headers: { ...HEAD, ':path': '/v1//chat/completions' } }, 400, 'invalid_target'],
    ['another method', { headers: { ...HEAD, ':method': 'TRACE' } }, 404, 'unknown_route'],
    [
      'a body with a method that has none',
      { headers: { ...HEAD, ':method': 'GET', ':path': '/v1/models' } },
      400,
      'unexpected_body',
    ],
    [
      'a WebSocket',
      { headers: { ...HEAD, ':method': 'GET', upgrade: 'websocket' }, parts: [] },
      501,
      'upgrade_refused',
    ],
    ['a body that is not JSON', { parts: [Buffer.from('{')] }, 400, 'invalid_json'],
    ['an unknown encoding', { headers: { ...HEAD, 'content-encoding': 'lzw' } }, 415, 'unsupported_encoding'],
    ['a body that is too large', { parts: [chat('x'.repeat(1024 * 1024))] }, 413, 'body_too_large'],
    [
      'a declared length that is too large',
      { headers: { ...HEAD, 'content-length': '99999999' } },
      413,
      'body_too_large',
    ],
    ['the request body mode NONE', { request: 'NONE' }, 502, 'unsupported_mode'],
    ['the request body mode STREAMED', { request: 'STREAMED' }, 502, 'unsupported_mode'],
    ['the request body mode BUFFERED_PARTIAL', { request: 'BUFFERED_PARTIAL' }, 502, 'unsupported_mode'],
    ['the response body mode NONE', { response: 'NONE' }, 502, 'unsupported_mode'],
    ['the response body mode BUFFERED_PARTIAL', { response: 'BUFFERED_PARTIAL' }, 502, 'unsupported_mode'],
    ['no announced modes', { first: { protocolConfig: undefined } as object }, 502, 'unsupported_mode'],
    ['the observability mode', { first: { observabilityMode: true } }, 502, 'unsupported_mode'],
  ];
  for (const [what, fields, status, code] of REFUSED) {
    it(`refuses ${what} with ${status} ${code}`, async () => {
      const outcome = await call(fields);
      if (outcome.kind !== 'immediate') throw new Error(outcome.kind);
      expect([outcome.status, outcome.sent]).to.deep.equal([status, undefined]);
      expect(JSON.parse(outcome.body.toString())).to.have.nested.property('error.code', code);
      expect(outcome.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    });
  }

  it('writes errors in the format of the API', async () => {
    const headers = { ...HEAD, ':path': '/v1/messages' };
    const outcome = await call({ headers, parts: [Buffer.from('{')] });
    if (outcome.kind !== 'immediate') throw new Error(outcome.kind);
    expect(JSON.parse(outcome.body.toString())).to.have.nested.property('error.type', 'invalid_request_error');
    expect(JSON.parse(outcome.body.toString())).to.include({ type: 'error' });
  });

  it('refuses a redirect of the request to another server', async () => {
    const location = 'https://elsewhere.example/v1/chat/completions';
    const outcome = await call({}, () => ({ headers: { ':status': '307', location }, parts: [] }));
    if (outcome.kind !== 'immediate') throw new Error(outcome.kind);
    expect(JSON.parse(outcome.body.toString())).to.have.nested.property('error.code', 'redirect_refused');
  });

  it('gives two tokens two mappings', async () => {
    const [one, two] = await Promise.all([call(), call({ headers: { ...HEAD, authorization: 'Bearer other' } })]);
    if (one.kind !== 'answer' || two.kind !== 'answer') throw new Error('refused');
    const [pseudonym = ''] = PSEUDONYM.exec(contentOf(one.sent)) ?? [];
    expect(contentOf(two.sent)).to.not.include(pseudonym);
    const stolen = await call(
      { headers: { ...HEAD, authorization: 'Bearer other' }, parts: [chat(`Say ${pseudonym}`)] },
      () => ({
        headers: JSON_HEAD,
        parts: [Buffer.from(completion(`It is ${pseudonym}`))],
      }),
    );
    if (stolen.kind !== 'answer') throw new Error(stolen.kind);
    expect(stolen.body.toString()).to.not.include(email);
  });

  it('shares the mapping of a token with the same token in another mode', async () => {
    const [one, two] = await Promise.all([call(), call({ request: 'BUFFERED', response: 'STREAMED' })]);
    if (one.kind !== 'answer' || two.kind !== 'answer') throw new Error('refused');
    expect(one.sent.body.toString()).to.equal(two.sent.body.toString());
  });

  it('lets an answer pass that another filter gives before the request is sent on', async () => {
    const stream = envoy.open();
    const list = Object.entries(HEAD).map(([key, value]) => ({ key, rawValue: Buffer.from(value) }));
    const protocolConfig = { requestBodyMode: 2, responseBodyMode: 1 };
    stream.send({ requestHeaders: { headers: { headers: list } }, protocolConfig });
    expect(await stream.next()).to.have.property('requestHeaders');
    const status = { key: ':status', rawValue: Buffer.from('413') };
    stream.send({ responseHeaders: { headers: { headers: [status] } } });
    expect(await stream.next()).to.have.property('responseHeaders');
    stream.send({ responseBody: { body: Buffer.from('Payload Too Large'), endOfStream: true } });
    const reply = await stream.next();
    expect(reply.responseBody?.response.bodyMutation?.body?.toString()).to.equal('Payload Too Large');
    await stream.end();
  });

  it('gives the same answer for any split of it', async () => {
    const text = [
      chunk('Write to '),
      chunk('PSEUDONYM'),
      chunk(', or not.'),
      chunk('', 'stop'),
      'data: [DONE]\n\n',
    ].join('');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 12 }),
        fc.constantFrom<Mode>('FULL_DUPLEX_STREAMED', 'STREAMED', 'BUFFERED'),
        async (cuts, response) => {
          const outcome = await call({ response }, (sent) => {
            const [pseudonym = ''] = PSEUDONYM.exec(contentOf(sent)) ?? [];
            const bytes = Buffer.from(text.replace('PSEUDONYM', pseudonym));
            const ends = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
            const parts = [...ends, bytes.length].map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
            return { headers: EVENTS_HEAD, parts };
          });
          if (outcome.kind !== 'answer') throw new Error(outcome.kind);
          expect(streamedText(outcome.body)).to.equal(`Write to ${email}, or not.`);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('counts and logs calls without what they contain', async () => {
    await call({ parts: [chat(`Write to ${otherEmail}.`)] });
    const metrics = await harness.metrics();
    expect(metrics).to.match(
      /guardrail_requests_total\{phase="request",protocol="ext_proc",action="GUARDRAIL_INTERVENED"\} \d/,
    );
    expect(metrics).to.include(
      'guardrail_http_requests_total{route="ext_proc/chat.completions",method="POST",status="200"}',
    );
    expect([...harness.logs, metrics].join('\n')).to.not.include('sk-of-a-client');
  });
});

describe("Envoy's external processor with settings of the inline proxy", () => {
  const started = async (env: NodeJS.ProcessEnv, use: (envoy: ModelEnvoy, harness: Harness) => Promise<void>) => {
    const harness = await startHarness({ env: { GUARDRAIL_EXT_PROC_PORT: '0', ...env } });
    const envoy = new ModelEnvoy(harness.app.extProcPort ?? 0);
    try {
      await use(envoy, harness);
    } finally {
      envoy.close();
      await harness.stop();
    }
  };
  const body = chat(`Write to ${email}.`);

  it('changes nothing in monitor mode, and counts what it would do', async () => {
    await started({ GUARDRAIL_MODE: 'monitor' }, async (envoy, harness) => {
      for (const [request, response] of MODES) {
        const outcome = await envoy.call({ headers: HEAD, parts: [body], request, response }, echo);
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        expect(outcome.sent.body.equals(body)).to.equal(true);
        expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
      }
      expect(await harness.metrics()).to.include('protocol="ext_proc",action="MONITORED_GUARDRAIL_INTERVENED"} 5');
    });
  });

  it('identifies callers by the headers of a trusted hop', async () => {
    await started({ GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-user' }, async (envoy) => {
      const pseudonymOf = async (headers: Record<string, string>): Promise<string> => {
        const outcome = await envoy.call({ headers: { ...HEAD, ...headers }, parts: [body] }, echo);
        return outcome.kind === 'answer' ? contentOf(outcome.sent) : `${outcome.kind} ${outcome.body.toString()}`;
      };
      const anna = await pseudonymOf({ 'x-user': 'anna' });
      expect(anna).to.match(PSEUDONYM);
      expect(await pseudonymOf({ 'x-user': 'anna', authorization: 'Bearer new' })).to.equal(anna);
      expect(await pseudonymOf({ 'x-user': 'bob' })).to.not.equal(anna);
      expect(await pseudonymOf({})).to.match(/^immediate .*identity_missing/);
    });
  });

  it('lets unknown paths pass unread, or checks all strings of their bodies', async () => {
    const headers = { ...HEAD, ':path': '/v1/unknown' };
    for (const [unknown, expected] of [
      ['pass', body.toString()],
      ['generic', undefined],
    ] as const) {
      await started({ GUARDRAIL_PROXY_UNKNOWN: unknown }, async (envoy) => {
        for (const [request, response] of MODES) {
          const outcome = await envoy.call({ headers, parts: [body], request, response }, echo);
          if (outcome.kind !== 'answer') throw new Error(outcome.kind);
          if (expected === undefined) expect(outcome.sent.body.toString()).to.match(PSEUDONYM).and.not.include(email);
          else expect(outcome.sent.body.toString()).to.equal(expected);
          expect(outcome.body.toString()).to.equal(completion(`Write to ${email}.`));
        }
      });
    }
  });
});
