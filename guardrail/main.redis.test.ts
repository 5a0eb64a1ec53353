import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { listHash, listKey, writeCustomerList } from './customers/customers.ts';
import { ModelEnvoy } from './extProc/testing/modelEnvoy.ts';
import { eventually, HARNESS_ENV, KEY, PLANTED, SESSION_KEY } from './testing/appHarness.ts';
import { withRedis } from './testing/redis.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const ENV: NodeJS.ProcessEnv = { PATH: process.env.PATH, ...HARNESS_ENV };

interface Finished {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...ENV, ...env }, stdio: 'pipe' });
  child.stdin.end(input);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, output, errors };
}

type LoggedPort = 'port' | 'metricsPort' | 'extProcPort';

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsUrl: string;
  readonly lines: string[];
  /** The ports that the processes have logged. */
  readonly logged: (name: LoggedPort) => number[];
  stop(): Promise<number | null>;
}

/** Starts the program itself and waits until it listens. */
async function serve(env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const child = spawn(process.execPath, [MAIN], { env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const logged = (name: LoggedPort): number[] =>
    lines.flatMap((line) =>
      line.includes(`"${name}"`) ? [(JSON.parse(line) as Record<LoggedPort, number>)[name]] : [],
    );
  const ports = (): number[] => logged('port');
  await eventually(() => ports().length >= Number(env.GUARDRAIL_WORKERS ?? 1), 60_000);
  return {
    child,
    url: `http://127.0.0.1:${ports()[0] ?? 0}`,
    metricsUrl: `http://127.0.0.1:${logged('metricsPort')[0] ?? 0}`,
    lines,
    logged,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

async function guard(
  service: Service,
  fields: Record<string, unknown>,
): Promise<{ body: { action: string; texts: string[] }; headers: Headers }> {
  const response = await fetch(`${service.url}/beta/litellm_basic_guardrail_api`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      request_data: { user_api_key_team_id: 'red', user_api_key_end_user_id: PLANTED.endUser },
      ...fields,
    }),
  });
  expect(response.status).to.equal(200);
  return { body: (await response.json()) as { action: string; texts: string[] }, headers: response.headers };
}

const WRONG: [args: string[], env: NodeJS.ProcessEnv, expected: RegExp][] = [
  [['--port', '1'], {}, /^Unknown argument "--port": settings are environment variables, see --help\.\n$/],
  [['start'], {}, /^Unknown command "start": use serve, detect, session-id or report\.\n$/],
  [['session-id', '--tem', 'x'], {}, /^session-id accepts only these options, each with a value: --tenant, /],
  [['session-id'], {}, /^These identifiers do not determine a session/],
  [['detect', 'file'], {}, /^detect accepts only the options --team and --why/],
  [[], { GUARDRAIL_API_KEYS: '' }, /^GUARDRAIL_API_KEYS or GUARDRAIL_API_KEYS_FILE must be set/],
];

/** Runs the command line with each of the wrong arguments, in one process: loading takes longer than running. */
async function runWrong(): Promise<readonly Finished[]> {
  const calls = WRONG.map(([args, env]) => [args, { ...ENV, ...env }]);
  const source = `
    import { run } from ${JSON.stringify(new URL('commands.ts', import.meta.url).href)};
    const print = process.stdout.write.bind(process.stdout);
    const results = [];
    for (const [args, env] of ${JSON.stringify(calls)}) {
      const result = { output: '', errors: '' };
      process.stdout.write = (text) => (result.output += text, true);
      process.stderr.write = (text) => (result.errors += text, true);
      const code = await run(args, env);
      results.push({ ...result, code });
    }
    print(JSON.stringify(results));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Finished[];
}

describe('the program', function () {
  // A start takes a second of processor time, and the machine may be busy.
  this.timeout(60_000);
  it('prints its usage', async () => {
    const { code, output } = await run(['--help']);
    expect(code).to.equal(0);
    for (const word of ['serve', 'detect', 'session-id', 'GUARDRAIL_PORT', 'GUARDRAIL_WORKERS'])
      expect(output).to.include(word);
  });

  it('ends with exit code 2 and a line for each problem of its settings', async () => {
    const { code, output, errors } = await run([], { GUARDRAIL_PORT: 'x', GUARDRAIL_MODE: 'y' });
    expect(errors).to.match(/^GUARDRAIL_PORT must .*\.\nGUARDRAIL_MODE must .*\.\n$/);
    expect([code, output]).to.deep.equal([2, '']);
  });

  describe('with wrong arguments', () => {
    let results: readonly Finished[];
    before(async () => {
      results = await runWrong();
    });
    for (const [at, [args, env, expected]] of WRONG.entries()) {
      it(`refuses ${JSON.stringify([...args, env])}`, () => {
        expect(results[at]?.errors).to.match(expected);
        expect([results[at]?.code, results[at]?.output]).to.deep.equal([2, '']);
      });
    }
  });

  for (const [setting, more] of [
    ['GUARDRAIL_PORT', {}],
    [
      'GUARDRAIL_METRICS_PORT',
      { GUARDRAIL_WORKERS: '2', GUARDRAIL_STORE: 'redis://127.0.0.1:1', GUARDRAIL_LOG_LEVEL: 'silent' },
    ],
  ] as const) {
    it(`reports a port in use in one sentence: ${setting}, ${JSON.stringify(more)}`, async () => {
      const server = createServer();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { code, errors } = await run([], { ...more, [setting]: String(port) });
      server.close();
      expect(errors).to.equal(
        `Port ${port} is already in use: set ${setting} to a free port, or stop the process that uses it.\n`,
      );
      expect(code).to.equal(1);
    });
  }

  it('detects entities in lines of standard input, as the profile and the policy say', async () => {
    const input = '{"id":"a","text":"\u{1F600} joe@example.org is in Paris."}\n';
    const spansWith = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
      const { code, output } = await run(['detect'], { GUARDRAIL_PROFILE: 'confidential', ...env }, input);
      expect(code).to.equal(0);
      const { id, spans } = JSON.parse(output) as { id: string; spans: { start: number; end: number; type: string }[] };
      return [id, ...spans.map(({ start, end, type }) => [start, end, type])];
    };
    const email = [2, 17, 'EMAIL_ADDRESS'];
    expect(await spansWith({})).to.deep.equal(['a', email, [24, 29, 'LOCATION']]);
    expect(await spansWith({ GUARDRAIL_POLICY: 'profile: personal' })).to.deep.equal(['a', email]);
  });

  it('prints the session id of a call, finishes running calls on SIGTERM, and exits with 0', async () => {
    const service = await serve();
    const { headers } = await guard(service, { input_type: 'request', texts: [`Mail ${PLANTED.email}`] });
    const printed = await run(['session-id', '--tenant', 'litellm', '--team', 'red', '--end-user', PLANTED.endUser]);
    expect(printed.output.trim()).to.equal(headers.get('x-session-id'));

    // A call whose body is incomplete when the signal arrives.
    const body = JSON.stringify({ input_type: 'request', texts: ['Hello.'] });
    const call = httpRequest(`${service.url}/beta/litellm_basic_guardrail_api`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json', 'content-length': body.length },
    });
    call.write(body.slice(0, 10));
    const answered = once(call, 'response') as Promise<[IncomingMessage]>;
    await fetch(`${service.url}/healthz`);
    const stopped = service.stop();
    await eventually(() => service.lines.some((line) => line.includes('Received SIGTERM')));
    call.end(body.slice(10));
    const [response] = await answered;
    expect([response.statusCode, await text(response)]).to.deep.equal([200, '{"action":"NONE"}']);
    expect(await stopped).to.equal(0);
    for (const line of service.lines) expect(line).to.not.include(PLANTED.email).and.not.include(PLANTED.endUser);
  });
});

describe('worker processes of the program', function () {
  this.timeout(90_000);
  const redis = withRedis();
  let service: Service;
  let folder: string;
  const setBlocked = async (blocked: boolean): Promise<void> => {
    const customer = listHash(listKey(SESSION_KEY), 'customer', 'acme');
    const [shard = ''] = writeCustomerList([{ customer, blocked }], { unknownCustomers: 'Allow' });
    await writeFile(join(folder, 'new'), shard);
    await rename(join(folder, 'new'), join(folder, 'customers-0'));
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'customers-'));
    await setBlocked(true);
    service = await serve({
      ...{ GUARDRAIL_STORE: redis().url, GUARDRAIL_WORKERS: '2', GUARDRAIL_CUSTOMERS: folder },
      GUARDRAIL_EXT_PROC_PORT: '0',
    });
    await eventually(async () => (await fetch(`${service.url}/readyz`)).status === 200);
  });
  after(() => rm(folder, { recursive: true }));

  const pids = (word: string): number[] =>
    service.lines.flatMap((line) => (line.includes(word) ? [(JSON.parse(line) as { pid: number }).pid] : []));

  it('share the port and the sessions, and aggregate their metrics', async () => {
    const pseudonyms = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const sent =
        (await guard(service, { input_type: 'request', texts: [`Mail ${PLANTED.email}`] })).body.texts[0] ?? '';
      pseudonyms.add(sent);
      const back = await guard(service, { input_type: 'response', texts: [sent] });
      expect(back.body.texts[0]).to.equal(`Mail ${PLANTED.email}`);
    }
    expect(pseudonyms.size).to.equal(1);
    expect(new Set(pids('"phase"')).size).to.equal(2);
    const metrics = await (await fetch(`${service.metricsUrl}/metrics`)).text();
    expect(metrics).to.match(/guardrail_requests_total\{[^}]*phase="request"[^}]*\} 20\n/);
    expect(metrics).to.match(/\nguardrail_sessions 1\n/);
  });

  it("share the port of Envoy's external processor, and the mapping of a caller", async () => {
    const [port = 0] = service.logged('extProcPort');
    const headers = {
      ':method': 'POST',
      ':path': '/v1/chat/completions',
      'content-type': 'application/json',
      authorization: 'Bearer sk-of-a-client',
    };
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: PLANTED.email }] }));
    const sent = new Set<string>();
    for (let n = 0; n < 6; n += 1) {
      // A connection of its own: the processes take turns.
      const envoy = new ModelEnvoy(port);
      const outcome = await envoy.call({ headers, parts: [body] }, ({ body: received }) => ({
        headers: { ':status': '200', 'content-type': 'application/json' },
        parts: [received],
      }));
      envoy.close();
      if (outcome.kind !== 'answer') throw new Error(outcome.kind);
      sent.add(outcome.sent.body.toString());
      expect(outcome.body.toString()).to.equal(body.toString());
    }
    expect(sent.size).to.equal(1);
    expect([...sent].join()).to.match(/<EMAIL_ADDRESS_\w+>/);
  });

  it('follow the customer list, each by itself', async () => {
    const actions = async (): Promise<string[]> => {
      const call = { input_type: 'request', texts: ['Hello.'], request_data: { user_api_key_end_user_id: 'acme' } };
      const answers = await Promise.all(Array.from({ length: 20 }, () => guard(service, call)));
      return [...new Set(answers.map(({ body }) => body.action))];
    };
    expect(await actions()).to.deep.equal(['BLOCKED']);
    await setBlocked(false);
    await eventually(async () => (await actions()).join() === 'NONE');
  });

  it('are replaced when they die, and drain', async () => {
    process.kill(pids('"listening"')[0] ?? 0, 'SIGKILL');
    await eventually(() => pids('"listening"').length === 3, 60_000);
    await guard(service, { input_type: 'request', texts: ['Hello.'] });
    expect(await service.stop()).to.equal(0);
  });
});
