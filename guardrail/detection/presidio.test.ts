import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { DetectorUnavailableError, type Detector } from './contract.ts';
import { createPresidioDetector } from './presidio.ts';

type Handler = (body: { text: string[]; language: string; score_threshold: number }, response: ServerResponse) => void;

/** Faults that a real Presidio server does not produce on demand. presidio.all.test.ts tests a real server. */
describe('Presidio detector with a fake server', () => {
  let server: Server;
  let url: string;
  let handler: Handler;
  let calls: string[][] = [];
  let detector: Detector | undefined;
  const open = (timeoutMs = 2000): Detector => {
    detector = createPresidioDetector({ url, timeoutMs });
    return detector;
  };
  const signal = new AbortController().signal;
  const failure = async (texts: readonly string[], by = open(), given = signal): Promise<string> => {
    const outcome: unknown = await by.detect(texts, { signal: given }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(DetectorUnavailableError);
    return (outcome as DetectorUnavailableError).message;
  };
  const json = (response: ServerResponse, content: unknown, status = 200): void => {
    response
      .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(content));
  };
  const nothing: Handler = ({ text }, response) => {
    json(
      response,
      text.map(() => []),
    );
  };

  before(async () => {
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/health') {
        response.end('up');
        return;
      }
      void readAll(request).then((body) => {
        const parsed = JSON.parse(body) as Parameters<Handler>[0];
        calls.push(parsed.text);
        handler(parsed, response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });
  beforeEach(() => {
    calls = [];
    handler = nothing;
  });
  afterEach(() => detector?.close());
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('converts code points and resolves overlaps of results that are sorted by score', async () => {
    const text = '😀😀 mail anna@example.com';
    handler = ({ score_threshold: threshold }, response) => {
      expect(threshold).to.equal(0.35);
      json(response, [
        [
          { entity_type: 'EMAIL_ADDRESS', start: 8, end: 24, score: 1 },
          { entity_type: 'URL', start: 13, end: 24, score: 0.5 },
        ],
      ]);
    };
    const [spans = []] = await open().detect([text], { signal });
    expect(spans.map(({ start, end, type }) => `${text.slice(start, end)}|${type}`)).to.deep.equal([
      'anna@example.com|EMAIL_ADDRESS',
    ]);
  });

  it('tells addresses from places, and URLs that identify somebody from others', async () => {
    const text = 'Berlin, Main St 5, www.firm.example, github.com/octocat, firm.example/?t=4111111111111111';
    const results = [
      ['LOCATION', 'Berlin'],
      ['LOCATION', 'Main St 5'],
      ['URL', 'www.firm.example'],
      ['URL', 'github.com/octocat'],
      ['URL', 'firm.example/?t=4111111111111111'],
      ['CREDIT_CARD', '4111111111111111'],
    ] as const;
    handler = (_body, response) => {
      const list = results.map(([type, value]) => {
        const start = text.indexOf(value);
        return { entity_type: type, start, end: start + value.length, score: 0.85 };
      });
      json(response, [list]);
    };
    const [spans = []] = await open().detect([text], { signal });
    expect(spans.map(({ start, end, type }) => `${text.slice(start, end)}|${type}`)).to.deep.equal([
      'Berlin|LOCATION',
      'Main St 5|ADDRESS',
      'www.firm.example|PUBLIC_URL',
      'github.com/octocat|URL',
      'firm.example/?t=4111111111111111|URL',
    ]);
  });

  it('sends texts in batches, and skips empty texts', async () => {
    const texts = ['', ' \n', ...Array.from({ length: 70 }, (_, at) => `text ${at}`), 'x'.repeat(60_000)];
    const found = await open().detect(texts, { signal });
    expect(found).to.have.length(texts.length);
    expect(calls.map((call) => call.length).toSorted((a, b) => a - b)).to.deep.equal([1, 6, 64]);
    calls = [];
    expect(await open().detect(['', ' '], { signal })).to.deep.equal([[], []]);
    expect(calls).to.deep.equal([]);
  });

  it('throws for an error status, an invalid answer or a truncated answer, without the text in the message', async () => {
    const faults: readonly [Handler, string][] = [
      [(_body, response) => { json(response, { error: 'secret text' }, 500); }, 'Presidio responded with status 500.'],
      [(_body, response) => { json(response, [[], []]); }, 'Presidio sent a response that does not match the request.'],
      [(_body, response) => { json(response, [[{ entity_type: 'PERSON', start: -1, end: 'x' }]]); }, 'Presidio sent a response that does not match the request.'],
      [(_body, response) => { response.writeHead(200, { 'content-length': 50 }).write('[['); response.destroy(); }, 'Presidio is unreachable.'],
      [(_body, response) => { response.end('<html>'); }, 'Presidio is unreachable.'],
    ]; // prettier-ignore
    for (const [fault, message] of faults) {
      handler = fault;
      expect(await failure(['secret text'])).to.equal(message);
    }
  });

  it('throws after the timeout, and if the caller aborts', async () => {
    handler = () => undefined;
    expect(await failure(['Anna'], open(50))).to.equal('Presidio did not respond within 50 ms.');
    const caller = new AbortController();
    handler = () => {
      caller.abort();
    };
    expect(await failure(['Anna'], open(), caller.signal)).to.equal('The call to Presidio was aborted.');
  });

  it('suspends calls for 5 s after three consecutive failures, and reports it as its state', async () => {
    handler = (_body, response) => {
      json(response, {}, 500);
    };
    const one = open();
    for (let attempt = 0; attempt < 3; attempt++) await failure(['Anna'], one);
    calls = [];
    expect(await failure(['Anna'], one)).to.equal('Presidio failed repeatedly. Calls to it are suspended for 5 s.');
    expect(calls).to.deep.equal([]);
    expect(await one.state()).to.deep.include({ up: false, reason: 'Presidio responded with status 500' });
  });

  it('reports an unreachable server', async () => {
    const unreachable = createPresidioDetector({ url: 'http://127.0.0.1:9', timeoutMs: 500 });
    expect(await failure(['Anna'], unreachable)).to.equal('Presidio is unreachable.');
    expect((await unreachable.state()).up).to.equal(false);
    await unreachable.close();
    expect(await open().state()).to.deep.equal({ up: true });
  });
});
