import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withControlPlane } from '../hack/harness/controlplane.ts';
import { startOtlpReceiver } from '../guardrail/telemetry/testing/otlpReceiver.ts';
import { freePort } from '../hack/harness/processes.ts';

/** A run of the program. */
interface Run {
  readonly child: ChildProcess;
  /** The output so far. */
  readonly output: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Resolves when the output matches a pattern. */
  readonly says: (pattern: RegExp) => Promise<void>;
}

/** Free ports on the loopback address, since other tests run at the same time. */
const ANY_PORTS = ['--http-host=127.0.0.1', '--http-port=0', '--metrics-port=0'];

describe('the operator program', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  const runs: Run[] = [];
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'operator-main-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { child, ended } of runs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  function start(args: readonly string[], env: Record<string, string> = {}, nodeArgs: readonly string[] = []): Run {
    const main = new URL('main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [...nodeArgs, main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, ...env },
    });
    let text = '';
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        for (const listener of listeners) listener();
      });
    }
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ code, signal });
      });
    });
    const says = async (pattern: RegExp): Promise<void> => {
      const matched = new Promise<void>((resolve) => {
        const listener = (): void => {
          if (pattern.test(text)) resolve();
        };
        listeners.add(listener);
        listener();
      });
      await Promise.race([
        matched,
        ended.then(() => {
          if (!pattern.test(text)) throw new Error(`It exited without output that matches ${pattern.source}: ${text}`);
        }),
      ]);
    };
    const run = { child, output: () => text, ended, says };
    runs.push(run);
    return run;
  }

  const sentences: [string, readonly string[], readonly string[], RegExp][] = [
    [
      'each wrong setting',
      ['--nonsense'],
      [],
      /^--nonsense is an unknown flag: see --help\.\nNo cluster is configured\. Set KUBECONFIG [^\n]*\.\n$/,
    ],
    [
      'an old Node',
      [],
      ['--import', 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.0"})'],
      /^The operator requires Node 24 or newer; this is 20\.20\.0\. Run it with [^\n]*\.\n$/,
    ],
  ];
  for (const [name, args, nodeArgs, expected] of sentences) {
    it(`exits with one sentence for ${name}`, async () => {
      const run = start(args, {}, nodeArgs);
      expect((await run.ended).code).to.equal(1);
      expect(run.output()).to.match(expected);
    });
  }

  it('explains its flags', async () => {
    const run = start(['--help']);
    expect((await run.ended).code).to.equal(0);
    expect(run.output()).to.include('--watch-namespaces');
  });

  for (const [flag, other] of [
    ['http-port', 'metrics-port'],
    ['metrics-port', 'http-port'],
  ] as const) {
    it(`exits with one sentence if its port is in use: --${flag}`, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const run = start(['--http-host=127.0.0.1', `--${other}=0`, `--${flag}=${port}`], {
        KUBECONFIG: cluster().kubeconfig,
      });
      expect((await run.ended).code).to.equal(1);
      expect(run.output()).to.include(
        `The port ${port} on 127.0.0.1 is in use: set another port with --${flag}, or 0 for a free one.\n`,
      );
      server.close();
    });
  }

  it('reports an unreachable cluster, retries, and exits with 0 at SIGTERM', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    const server = `https://127.0.0.1:${await freePort()}`;
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server } }],
        users: [{ name: 'u', user: { token: 'not-to-be-logged' } }],
      }),
    );
    const run = start([...ANY_PORTS], { KUBECONFIG: kubeconfig });
    await run.says(new RegExp(`The API server ${server} is unreachable; retrying\\.`));
    run.child.kill('SIGTERM');
    expect(await run.ended).to.deep.equal({ code: 0, signal: null });
    expect(run.output()).to.not.include('not-to-be-logged');
  });

  it('installs its definitions, starts its controllers, and at SIGTERM releases its lease, exports its metrics and exits with 0', async () => {
    const namespace = await cluster().createNamespace();
    const receiver = await startOtlpReceiver();
    const run = start([...ANY_PORTS, `--namespace=${namespace}`, `--watch-namespaces=${namespace}`], {
      KUBECONFIG: cluster().kubeconfig,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await run.says(/"controller":"gatewaycustomer".*Controller started/);
    const short = await cluster().kubectl(['get', 'gcust,gbud,ginst', '-n', namespace, '-o', 'name']);
    expect(short).to.equal('');
    const [, address] = /Serving \/metrics on (127\.0\.0\.1:\d+)\./.exec(run.output()) ?? [];
    const metrics = await (await fetch(`http://${address ?? ''}/metrics`)).text();
    expect(metrics).to.match(
      /^gateway_guardrail_operator_build_info\{version="[0-9.]+",revision="unknown",[^}]*\} 1$/m,
    );
    run.child.kill('SIGTERM');
    expect(await run.ended).to.deep.equal({ code: 0, signal: null });
    receiver.close();
    const workers = receiver.points().filter(({ name }) => name === 'controller_runtime_max_concurrent_reconciles');
    expect(workers.map(({ attributes }) => attributes.controller)).to.include('gatewaycustomer');
    expect(workers[0]?.resource['service.name']).to.equal('gateway-guardrail-operator');
    const holder = await cluster().kubectl([
      'get',
      'lease',
      'gateway-guardrail-operator',
      '-n',
      namespace,
      '-o',
      'jsonpath={.spec.holderIdentity}/{.spec.leaseTransitions}',
    ]);
    expect(holder).to.equal('/0');
    for (const line of run.output().trim().split('\n')) {
      expect(JSON.parse(line)).to.include.keys('level', 'time', 'msg');
    }
  });
});
