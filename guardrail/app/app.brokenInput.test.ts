import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { KEY, startHarness, type Harness } from '../testing/appHarness.ts';

const PATH = '/beta/litellm_basic_guardrail_api';
const MIB = 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Broken {
  readonly what: string;
  readonly body: Buffer | string | (() => Readable);
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** A pattern that the message must match. */
  readonly expected?: RegExp;
}

const json = (value: unknown): string => JSON.stringify(value);
const texts = (...list: unknown[]): string => json({ input_type: 'request', texts: list });
const zeros = (bytes: number): Buffer => Buffer.from(`{"input_type":"request","texts":["${'0'.repeat(bytes)}"]}`);
const chunks = (count: number): Readable => {
  const chunk = Buffer.alloc(MIB, '0');
  return Readable.from(Array.from({ length: count }, () => chunk));
};
const field = (name: string, value: unknown): string => json({ input_type: 'request', texts: ['a'], [name]: value });

const BROKEN: readonly Broken[] = [
  { what: 'no body', body: '', status: 400, expected: /no body/ },
  {
    what: 'incomplete JSON',
    body: '{"input_type":"request","texts":["anna.schm',
    status: 400,
    expected: /not valid JSON/,
  },
  { what: 'a body that is not JSON', body: 'input_type=request&texts=a', status: 400, expected: /not valid JSON/ },
  { what: 'a list', body: '[]', status: 400, expected: /body must be an object/ },
  { what: 'a string', body: '"request"', status: 400, expected: /body must be an object/ },
  { what: 'null', body: 'null', status: 400, expected: /body must be an object/ },
  {
    what: 'bytes that are not UTF-8',
    body: Buffer.from('{"input_type":"\xff\xfe"}', 'latin1'),
    status: 400,
    expected: /UTF-8/,
  },
  { what: 'a lone surrogate in an escape', body: '{"input_type":"request","texts":["a \\ud800 b"]}', status: 200 },
  { what: 'a null character in a text', body: '{"input_type":"request","texts":["a \\u0000 b"]}', status: 200 },
  { what: 'nesting of 65 levels', body: `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, status: 400, expected: /nested/ },
  { what: 'four megabytes of brackets', body: '['.repeat(4 * MIB), status: 400, expected: /nested/ },
  { what: 'four megabytes of braces in names', body: '{"a":'.repeat(MIB), status: 400, expected: /nested/ },
  {
    what: '10,001 texts',
    body: texts(...Array.from({ length: 10_001 }, () => 'a')),
    status: 400,
    expected: /texts must have at most 10000/,
  },
  { what: 'a million small values', body: `[${'0,'.repeat(MIB)}0]`, status: 413, expected: /values/ },
  {
    what: '1,001 images',
    body: field(
      'images',
      Array.from({ length: 1001 }, () => 'x'),
    ),
    status: 400,
    expected: /images must/,
  },
  { what: '100 MB with a declared size', body: Buffer.alloc(100 * MIB, '0'), status: 413, expected: /larger than/ },
  { what: '100 MB without a declared size', body: () => chunks(100), status: 413, expected: /larger than/ },
  { what: 'a gzip bomb', body: gzipSync(zeros(200 * MIB)), headers: { 'content-encoding': 'gzip' }, status: 413 },
  {
    what: 'a deflate bomb',
    body: deflateSync(zeros(64 * MIB)),
    headers: { 'content-encoding': 'deflate' },
    status: 413,
  },
  {
    what: 'a brotli bomb',
    body: brotliCompressSync(zeros(16 * MIB)),
    headers: { 'content-encoding': 'br' },
    status: 413,
  },
  {
    what: 'an invalid gzip body',
    body: texts('a'),
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    expected: /Content-Encoding/,
  },
  {
    what: 'incomplete gzip',
    body: gzipSync(texts('a')).subarray(0, 20),
    headers: { 'content-encoding': 'gzip' },
    status: 400,
  },
  { what: 'an unknown encoding', body: texts('a'), headers: { 'content-encoding': 'compress' }, status: 415 },
  { what: 'two encodings', body: texts('a'), headers: { 'content-encoding': 'gzip, gzip' }, status: 415 },
  {
    what: 'another content type',
    body: texts('a'),
    headers: { 'content-type': 'text/plain' },
    status: 415,
    expected: /application\/json/,
  },
  {
    what: 'another charset',
    body: texts('a'),
    headers: { 'content-type': 'application/json; charset=utf-16' },
    status: 415,
  },
  {
    what: 'a field twice',
    body: '{"input_type":"request","texts":["a"],"texts":["b"]}',
    status: 400,
    expected: /same name/,
  },
  {
    what: 'a field twice, once escaped',
    body: '{"input_type":"request","texts":["a"],"te\\u0078ts":["b"]}',
    status: 400,
    expected: /same name/,
  },
  {
    what: 'a member twice, deeper',
    body: '{"input_type":"request","structured_messages":[{"role":"user","content":"a","content":"b"}]}',
    status: 400,
    expected: /same name/,
  },
  {
    what: '__proto__ next to the fields',
    body: '{"input_type":"request","texts":["a"],"__proto__":{"images":["x"]}}',
    status: 200,
  },
  {
    what: '__proto__ instead of the fields',
    body: '{"__proto__":{"input_type":"request","texts":["a"]}}',
    status: 400,
    expected: /input_type/,
  },
  {
    what: 'constructor.prototype',
    body: '{"input_type":"request","texts":["a"],"constructor":{"prototype":{"polluted":true}}}',
    status: 200,
  },
  { what: 'no input_type', body: json({ texts: ['a'] }), status: 400, expected: /^input_type must be/ },
  {
    what: 'another input_type',
    body: json({ input_type: 'during', texts: ['a'] }),
    status: 400,
    expected: /^input_type must be/,
  },
  {
    what: 'nothing to check',
    body: json({ input_type: 'request' }),
    status: 400,
    expected: /texts, images and structured_messages/,
  },
  {
    what: 'null as content',
    body: json({ input_type: 'request', texts: null, images: null }),
    status: 400,
    expected: /texts, images/,
  },
  { what: 'a text that is a number', body: texts('a', 7), status: 400, expected: /^texts\[1\] must be a string/ },
  { what: 'texts that are a string', body: field('texts', 'a'), status: 400, expected: /^texts must be an array/ },
  {
    what: 'images that are numbers',
    body: field('images', [1]),
    status: 400,
    expected: /^images\[0\] must be a string/,
  },
  {
    what: 'messages that are strings',
    body: field('structured_messages', ['a']),
    status: 400,
    expected: /^structured_messages\[0\] must be an object/,
  },
  { what: 'tools that are an object', body: field('tools', {}), status: 400, expected: /^tools must be an array/ },
  {
    what: 'a call id that is a number',
    body: field('litellm_call_id', 1),
    status: 400,
    expected: /^litellm_call_id must be a string/,
  },
  {
    what: 'an endless trace id',
    body: field('litellm_trace_id', 'x'.repeat(5000)),
    status: 400,
    expected: /^litellm_trace_id must have at most 4096/,
  },
  { what: 'a model that is a list', body: field('model', []), status: 400, expected: /^model must be a string/ },
  {
    what: 'identifiers that are a list',
    body: field('request_data', []),
    status: 400,
    expected: /^request_data must be an object/,
  },
  {
    what: 'a team that is a number',
    body: field('request_data', { user_api_key_team_id: 1 }),
    status: 400,
    expected: /^request_data\.user_api_key_team_id must be a string/,
  },
  {
    what: 'headers that are a string',
    body: field('request_headers', 'x'),
    status: 400,
    expected: /^request_headers must be an object/,
  },
  {
    what: 'another streaming_transform_mode',
    body: field('additional_provider_specific_params', { streaming_transform_mode: 'off' }),
    status: 400,
    expected: /streaming_transform_mode must be "incremental_diff" or "block_only"/,
  },
  {
    what: 'a looser setting',
    body: field('additional_provider_specific_params', { images: 'pass' }),
    status: 400,
    expected: /images must be "block"/,
  },
];

describe('broken input', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness();
  });
  after(async () => {
    await harness.stop();
  });

  function send(body: Broken['body'], headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(harness.url + PATH, {
        method: 'POST',
        headers: {
          'x-api-key': KEY,
          'content-type': 'application/json',
          ...(typeof body === 'function' ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      });
      request.on('error', reject);
      request.on('response', (response: IncomingMessage) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown });
        });
      });
      if (typeof body === 'function') body().pipe(request);
      else request.end(body);
    });
  }

  async function expectHealthy(): Promise<void> {
    expect((await harness.call('GET', '/healthz')).status).to.equal(200);
    const answer = await harness.guard({ input_type: 'request', texts: ['Hello.'] });
    expect(answer.body).to.deep.equal({ action: 'NONE' });
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  }

  for (const { what, body, headers, status, expected } of BROKEN) {
    it(`returns ${status} for ${what}`, async () => {
      const reply = await send(body, headers);
      expect(reply.status, JSON.stringify(reply.body)).to.equal(status);
      if (status !== 200) {
        const { error } = reply.body as { error: Record<string, string> };
        expect(Object.keys(error)).to.deep.equal(['code', 'message', 'request_id']);
        expect(error.message).to.match(expected ?? /./);
        expect(error.message).to.match(/^[A-Za-z].*\.$/s);
        expect(error.message?.length).to.be.lessThan(200);
      }
      await expectHealthy();
    });
  }

  it('keeps every member of a message, also __proto__, without prototype pollution', async () => {
    const body =
      '{"input_type":"request","structured_messages":[{"role":"user","content":"Mail a.b@example.org","__proto__":{"x":1},"constructor":"y"}]}';
    const reply = await send(body);
    expect(reply.status).to.equal(200);
    const [row] = (reply.body as { structured_messages: object[] }).structured_messages;
    expect(Object.keys(row ?? {})).to.deep.equal(['role', 'content', '__proto__', 'constructor']);
    await expectHealthy();
  });

  it('returns 401 without reading the body', async () => {
    const reply = await send('{', { 'x-api-key': 'wrong' });
    expect(reply.status).to.equal(401);
  });

  async function raw(bytes: string): Promise<string> {
    const socket = connect(harness.app.port, '127.0.0.1');
    socket.setEncoding('latin1');
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  }

  it('returns 431 for headers that are too large', async () => {
    expect(await raw(`POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(33 * 1024)}\r\n\r\n`)).to.match(
      /^HTTP\/1\.1 431/,
    );
    await expectHealthy();
  });

  it('returns 400 for data that is not HTTP', async () => {
    expect(await raw('HELO mail.example.org\r\n\r\n')).to.match(/^HTTP\/1\.1 400/);
    await expectHealthy();
  });

  it('returns 400 for Content-Length with chunked encoding, as in request smuggling', async () => {
    const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n`;
    const smuggled = `${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await raw(smuggled)).to.match(/^HTTP\/1\.1 400/);
    await expectHealthy();
  });

  it('survives a client that disconnects while it sends its body', async () => {
    const socket = connect(harness.app.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"in`,
    );
    socket.resetAndDestroy();
    await expectHealthy();
  });

  it('returns 405 with Allow for another method, and 404 for unknown paths', async () => {
    const wrongMethod = await harness.call('GET', PATH);
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).to.deep.equal([405, 'POST']);
    expect((await harness.call('POST', '/beta/other_basic_guardrail_api', {})).status).to.equal(404);
  });
});
