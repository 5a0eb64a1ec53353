/** The audit stream of the program itself, with worker processes. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { auditEventSchema } from './audit/event.ts';
import { eventually, HARNESS_ENV, KEY, PLANTED } from './testing/appHarness.ts';
import { withRedis } from './testing/redis.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const TEXT = [PLANTED.email, PLANTED.otherEmail, PLANTED.iban, PLANTED.card].join(' and ');
const CALLS = 60;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const all = { PATH: process.env.PATH, ...HARNESS_ENV, ...env };
  return spawn(process.execPath, [MAIN, ...args], { env: all, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** The text of a stream so far. */
function collected(stream: Readable): () => string {
  let all = '';
  stream.setEncoding('utf8').on('data', (part: string) => (all += part));
  return () => all;
}

const numberIn = (log: string, name: 'port' | 'metricsPort'): number => {
  const line = log.split('\n').find((one) => one.includes(`"${name}"`)) ?? '{}';
  return (JSON.parse(line) as Partial<Record<typeof name, number>>)[name] ?? 0;
};

describe('the audit stream of the program', () => {
  const redis = withRedis();

  it('has whole lines of all workers and nothing else, loses none at the end, and can be reported on', async function () {
    this.timeout(60_000);
    const program = start([], {
      ...{ GUARDRAIL_STORE: redis().url, GUARDRAIL_WORKERS: '2', GUARDRAIL_AUDIT: 'stdout' },
    });
    const [output, log] = [collected(program.stdout), collected(program.stderr)];
    const exited = once(program, 'exit') as Promise<[number | null]>;
    const sent: string[] = [];
    try {
      await eventually(() => log().split('"listening"').length === 3, 20_000);
      const service = `http://127.0.0.1:${numberIn(log(), 'port')}`;
      const url = `${service}/beta/litellm_basic_guardrail_api`;
      await eventually(async () => (await fetch(`${service}/readyz`)).status === 200);
      const call = async (): Promise<void> => {
        const id = randomUUID();
        const headers = {
          'x-api-key': KEY,
          'content-type': 'application/json',
          'x-request-id': id,
          connection: 'close',
        };
        const body = JSON.stringify({ input_type: 'request', texts: [TEXT], litellm_call_id: id });
        await (await fetch(url, { method: 'POST', headers, body })).text();
        sent.push(id);
      };
      await Promise.all(Array.from({ length: CALLS }, call));
      const metrics = `http://127.0.0.1:${numberIn(log(), 'metricsPort')}/metrics`;
      await eventually(async () =>
        (await (await fetch(metrics)).text()).includes(`guardrail_audit_events_total{sink="stdout"} ${CALLS}\n`),
      );
      await call();
    } finally {
      program.kill('SIGTERM');
    }
    expect(await exited).to.deep.equal([0, null]);
    const events = output()
      .trimEnd()
      .split('\n')
      .map((line) => auditEventSchema.parse(JSON.parse(line)));
    expect(events.map((event) => event['http.request.id']).sort()).to.deep.equal(sent.sort());
    expect(log()).to.include('"msg":"request"').and.not.include('guardrail.audit');

    const report = start(['report', '--format', 'json']);
    report.stdin.end(output());
    expect(JSON.parse(await text(report.stdout))).to.deep.include({
      events: CALLS + 1,
      badLines: 0,
      requests: [{ name: 'GUARDRAIL_INTERVENED', count: CALLS + 1 }],
    });
  });

  it('without a reader delays no call, and not the end of the program', async function () {
    this.timeout(60_000);
    const program = start([], {
      ...{ GUARDRAIL_STORE: redis().url, GUARDRAIL_WORKERS: '2', GUARDRAIL_AUDIT: 'stdout' },
    });
    const log = collected(program.stderr);
    const exited = once(program, 'exit') as Promise<[number | null]>;
    try {
      await eventually(() => log().split('"listening"').length === 3, 20_000);
      const url = `http://127.0.0.1:${numberIn(log(), 'port')}/v1/peer/check`;
      // Each event takes almost half a kilobyte, and the stream between the processes 208 KiB.
      for (let round = 0; round < 30; round += 1) {
        await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url, { method: 'POST' })).text()));
      }
      const metrics = `http://127.0.0.1:${numberIn(log(), 'metricsPort')}/metrics`;
      const written = /audit_events_total\{sink="stdout"\} (\d+)/.exec(await (await fetch(metrics)).text())?.[1];
      expect(Number(written ?? 0)).to.be.lessThan(600);
    } finally {
      program.kill('SIGTERM');
    }
    expect(await exited).to.deep.equal([0, null]);
  });

  it('goes to standard error as well, and the log stays where it is', async function () {
    this.timeout(30_000);
    const program = start([], { GUARDRAIL_AUDIT: 'stderr' });
    const [log, output] = [collected(program.stdout), collected(program.stderr)];
    const exited = once(program, 'exit');
    await eventually(() => numberIn(log(), 'port') > 0, 20_000);
    const url = `http://127.0.0.1:${numberIn(log(), 'port')}/v1/peer/check`;
    await (await fetch(url, { method: 'POST', body: TEXT })).text();
    await eventually(() => output().endsWith('\n'));
    program.kill('SIGTERM');
    await exited;
    expect(auditEventSchema.parse(JSON.parse(output()))).to.include({ 'error.type': 'unauthorized' });
    expect(log()).to.not.include('guardrail.audit');
  });
});
