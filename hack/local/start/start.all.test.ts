/**
 * Tests `npm start` as a new user runs it: a fresh copy of the project, an empty home directory, and the Node of the machine.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { cacheFolder, ensureBinaries } from '../../harness/controlplane/binaries.ts';
import { KUBERNETES_VERSION, platformName } from '../../harness/controlplane/versions.ts';
import { type DevGateway, startDevGateway } from '../../harness/gateway/gateway.ts';
import { pages } from '../../project/pages.ts';
import { inlineCommands } from '../../project/readme.ts';
import { tryLock } from '../../harness/lock.ts';

const root = join(import.meta.dirname, '../../..');
const EMAIL = 'ada.lovelace@example.com';
/** The lines that are printed when the local parts are ready, and when everything is ready. */
const LOCAL_READY = 'The local parts are ready';
const ALL_READY = 'The next npm start uses the same data.';
/** What only a first run prints: that it installs packages, and that it waits for the control plane, or fetches it. */
const INSTALLS = /^Installing the packages/m;
const FETCHES = /Another run is fetching|Downloading|Building .+ from Go modules/;

/** Without the variables and the PATH that npm adds for its scripts: the Node of the machine runs. */
function newcomer(home: string): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !/node_modules|node-gyp-bin/.test(folder));
  const go = (name: string): string => execFileSync('go', ['env', name], { encoding: 'utf8', cwd: '/' }).trim();
  return {
    PATH: path.join(delimiter),
    HOME: home,
    LANG: process.env.LANG,
    // Download caches, so that the test does not download again. They contain nothing that is ready to run.
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    GOMODCACHE: go('GOMODCACHE'),
    GOCACHE: go('GOCACHE'),
    // The settings of this machine for package downloads.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) =>
        /^(GOPROXY|GONOSUMDB|GOFLAGS|GONOSUMCHECK|GOSUMDB|NPM_CONFIG_\w+|npm_config_registry|\w+_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+)$/i.test(
          name,
        ),
      ),
    ),
  };
}

class Run {
  readonly child: ChildProcess;
  readonly started = performance.now();
  text = '';
  readonly ended: Promise<number | null>;

  constructor(folder: string, env: NodeJS.ProcessEnv, args: readonly string[] = []) {
    this.child = spawn('npm', ['start', '--', ...args], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    }
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** @returns milliseconds since the start */
  async until(text: string, timeoutMs: number): Promise<number> {
    while (!this.text.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`npm start ended with ${this.child.exitCode}:\n${this.text}`);
      if (performance.now() - this.started > timeoutMs) throw new Error(`There is no "${text}" in:\n${this.text}`);
      await delay(50);
    }
    return performance.now() - this.started;
  }

  /** Like Ctrl-C in a terminal: sends the signal to the whole foreground process group. */
  async interrupt(): Promise<number | null> {
    const alive = this.child.exitCode === null && this.child.signalCode === null;
    if (this.child.pid !== undefined && alive) process.kill(-this.child.pid, 'SIGINT');
    return this.ended;
  }
}

describe('npm start', function () {
  this.timeout(15 * 60_000);
  let work = '';
  /** The uid of a customer in the first run. */
  let acme = '';
  let folder = '';
  let env: NodeJS.ProcessEnv = {};
  let run: Run | undefined;
  /** Runs that are refused while the first one continues. They wait for seconds, so their tests come later. */
  let second: Run | undefined;
  let unknown: Run | undefined;
  let letFetch: () => Promise<void> = () => Promise.resolve();
  /** Stores the programs that another run has fetched. The tests of `harness/controlplane` download and build programs. */
  let provide: () => void;
  const log = (name: string): string => readFileSync(join(folder, '.local/logs', name), 'utf8');

  before(async () => {
    work = mkdtempSync(join(tmpdir(), 'npm-start-'));
    folder = join(work, 'clone');
    const home = join(work, 'home');
    mkdirSync(home);
    // The files that git tracks.
    const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    for (const file of list
      .toString()
      .split('\0')
      .filter((name) => name !== '' && existsSync(join(root, name)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    env = newcomer(home);
    letFetch = await holdFetching(env);
    const binaries = await ensureBinaries(['kube-apiserver', 'etcd', 'kubectl']);
    provide = () => {
      const version = join(cacheFolder(env), `${KUBERNETES_VERSION}-${platformName()}`);
      mkdirSync(version, { recursive: true });
      for (const [name, path] of Object.entries(binaries)) symlinkSync(path, join(version, name));
    };
    run = new Run(folder, env, ['--gateway-port=0']);
  });
  after(async () => {
    await letFetch();
    await run?.interrupt();
    rmSync(work, { recursive: true, force: true });
  });

  /**
   * Prevents `npm start` from fetching the control plane.
   * @returns a function that lets it continue
   */
  async function holdFetching(its: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
    const cache = cacheFolder(its);
    mkdirSync(cache, { recursive: true });
    let release = await tryLock(cache);
    return async () => {
      await release?.();
      release = undefined;
    };
  }

  /** Runs a printed command in the shell. */
  function shell(command: string): string {
    const kubeconfig = /export KUBECONFIG=\S+/.exec(run?.text ?? '')?.[0] ?? ':';
    return execFileSync('sh', ['-c', `${kubeconfig}; ${command}`], { cwd: folder, env, encoding: 'utf8' });
  }
  const printed = (pattern: RegExp): string => pattern.exec(run?.text ?? '')?.[0].trim() ?? 'false';
  const kubectl = (args: string): string => shell(`${printed(/\S*kubectl(?= get gcust)/)} ${args}`);
  const uid = (): string => kubectl('get gcust acme -o jsonpath={.metadata.uid}');
  const gateway = (): string => printed(/http:\/\/127\.0\.0\.1:\d+(?=\/v1\/chat)/);
  async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (!(await holds())) {
      if (performance.now() > deadline)
        throw new Error(`The condition is still false:\n${run?.text ?? ''}\n${log('operator.log').slice(-3_000)}`);
      await delay(100);
    }
  }
  const hasEnded = (): boolean => {
    try {
      execFileSync('pgrep', ['-f', work]);
      return false;
    } catch {
      return true;
    }
  };
  async function admin(path: string): Promise<Response> {
    return fetch(`${gateway()}${path}`, { headers: { authorization: 'Bearer sk-local-development' } });
  }

  function restores(): void {
    const command = printed(/curl -s http[\s\S]*?\}\]\}'/).replace('ada@example.com', EMAIL);
    const answer = JSON.parse(shell(command)) as { choices: { message: { content: string } }[] };
    expect(answer.choices[0]?.message.content).to.include(EMAIL);
    const seen = log('gateway.log').trim().split('\n').at(-1) ?? '';
    expect(seen).to.match(/saw: .*<EMAIL\w*_[A-Z0-9]+>/);
    expect(log('gateway.log')).not.to.include(EMAIL);
  }
  function restoresInStream(): void {
    const command = printed(/curl -sN http[\s\S]*?\}\]\}'/).replace('ada@example.com', EMAIL);
    const events = shell(command)
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: { content?: string } }[] });
    // In chunks: the guardrail holds back at most the beginning of a possible pseudonym.
    expect(events.length).to.be.above(1);
    const content = events.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(content).to.include(EMAIL);
    expect(log('gateway.log')).not.to.include(EMAIL);
  }
  async function playgroundAnswers(): Promise<void> {
    const [, page = '', key = ''] =
      /(http:\S+\/playground) \(sign in with any user name and the password (\S+)\)/.exec(run?.text ?? '') ?? [];
    expect((await fetch(page)).status).to.equal(401);
    const authorization = `Basic ${Buffer.from(`me:${key}`).toString('base64')}`;
    const document = await fetch(page, { headers: { authorization } });
    expect([document.status, await document.text()].join(' ')).to.match(/^200 <!doctype html>/i);
    const answer = await fetch(`${page}/detect`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ text: EMAIL }),
    });
    expect(await answer.json()).to.have.nested.property('entities[0].type', 'EMAIL_ADDRESS');
  }

  it('starts the local parts within a minute of the installation, before the API server is fetched', async () => {
    const installed = await run?.until('Development gateway …', 10 * 60_000);
    const ready = await run?.until(LOCAL_READY, 11 * 60_000);
    console.log(`      from nothing to the first table: ${Math.round((ready ?? 0) / 1000)} s`);
    expect((ready ?? 0) - (installed ?? 0)).to.be.below(60_000);
    expect(run?.text).to.include('Another run is fetching the control plane').and.not.include(ALL_READY);
  });

  it('restores values that the model did not see, without a cluster', restores);
  it('restores them in a stream, without a cluster', restoresInStream);
  it('serves the playground without a cluster', playgroundAnswers);

  it('loses no call when the guardrail of the operator takes over', async () => {
    const outcomes = new Set<string>();
    const over = new AbortController();
    const calls = (async () => {
      for (let call = 1; !over.signal.aborted; call += 1) {
        const response = await fetch(`${gateway()}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk-local-development', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: `${call} to ${EMAIL}` }] }),
        });
        const text = await response.text();
        outcomes.add(response.status === 200 && text.includes(`${call} to ${EMAIL}`) ? 'restored' : text);
        await delay(20);
      }
    })();
    provide();
    await letFetch();
    const ms = await run?.until(ALL_READY, 14 * 60_000);
    console.log(`      from nothing to the table: ${Math.round((ms ?? 0) / 1000)} s`);
    over.abort();
    await calls;
    if (/^kubectl …$/m.test(run?.text ?? '')) await run?.until('✓ kubectl', 14 * 60_000);
    second = new Run(folder, env, ['--gateway-port=0']);
    unknown = new Run(folder, env, ['--nope']);
    expect([...outcomes]).to.deep.equal(['restored']);
    const { url } = JSON.parse(readFileSync(join(folder, '.local/guardrail.json'), 'utf8')) as { url: string };
    expect(run?.text).to.match(new RegExp(`^guardrail of the instance +${url} `, 'm'));
  });

  it('does not suggest to delete a customer', () => {
    expect(run?.text).not.to.match(/InstanceNotFound|delete this customer/);
  });

  it('keeps serving the playground at the address that was printed first', playgroundAnswers);

  it('lists the samples with the columns CUSTOMERID, MAXBUDGET, SPEND and SYNCED true', () => {
    const [head = '', ...rows] = kubectl('get gcust').trim().split('\n');
    expect(head.split(/\s+/)).to.deep.equal(['NAME', 'CUSTOMERID', 'MAXBUDGET', 'SPEND', 'SYNCED', 'AGE']);
    expect(rows).to.have.length(3);
    expect(rows.find((row) => row.startsWith('acme'))).to.match(/^acme +acme-001 +100 +[\d.]+ +true /);
    for (const row of rows) expect(row).to.match(/ true +\S+$/);
  });

  it('creates the sample customers at the gateway', async () => {
    const answer = await admin('/customer/info?end_user_id=acme-001');
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.include({ user_id: 'acme-001', alias: 'Acme Corporation' });
  });

  it('restores values that the model did not see', restores);
  it('restores them in a stream', restoresInStream);

  it('restores values for applications that call the guardrail in place of the gateway', () => {
    const guarded = printed(/^guarded gateway \(Inline\) +http:\S+/m).replace(/^.* /, '');
    expect(guarded).to.not.equal(gateway());
    const [command = 'false'] =
      (run?.text ?? '')
        .match(/curl -s http[^']*'[^']*'[^']*'[^']*'[^']*'[^']*'/g)
        ?.filter((one) => one.includes(guarded)) ?? [];
    const answer = JSON.parse(shell(command.replace('ada@example.com', EMAIL))) as {
      choices: { message: { content: string } }[];
    };
    expect(answer.choices[0]?.message.content).to.equal(`You said: Please write to ${EMAIL}.`);
    const seen = shell(printed(/tail -n 1 \S+/));
    expect(seen)
      .to.match(/saw: .*<EMAIL\w*_[A-Z0-9]+>/)
      .and.not.include(EMAIL);
    expect(kubectl('get ginst dev -o wide')).to.match(/ CallbackAndInline +http:\/\/dev-guarded\.default\.svc:8081 /);
  });

  const harmless = inlineCommands(pages().join('\n'), 'kubectl').filter((command) =>
    /^kubectl (get|wait|describe|explain) /.test(command),
  );
  for (const command of new Set(harmless)) {
    it(`runs the documented \`${command}\``, () => {
      expect(kubectl(command.replace(/^kubectl /, ''))).to.match(/\S/);
    });
  }

  it('deletes a customer at the gateway when its resource is deleted', async () => {
    kubectl('delete gcust initech');
    expect((await admin('/customer/info?end_user_id=initech-trial')).status).to.equal(404);
    expect((await admin('/customer/info?end_user_id=globex-eu')).status).to.equal(200);
  });

  it('keeps its state when the API server is killed and restarted', async () => {
    const operator = (): string =>
      execFileSync('pgrep', ['-f', join(folder, 'operator/main.ts')], { encoding: 'utf8' });
    const before = operator();
    const apiServer = Number(
      execFileSync('pgrep', ['-f', `kube-apiserver.*${join(folder, '.local')}`], { encoding: 'utf8' }).trim(),
    );
    process.kill(apiServer, 'SIGKILL');
    await eventually(() => {
      try {
        return kubectl('get gcust').includes('acme');
      } catch {
        return false;
      }
    });
    expect(operator()).to.equal(before);
    expect(kubectl('get gcust').match(/ true /g)).to.have.length(2);
    // The operator still reconciles.
    kubectl(`patch gcust acme --type=merge -p '{"spec":{"alias":"Acme again"}}'`);
    await eventually(
      async () =>
        ((await (await admin('/customer/info?end_user_id=acme-001')).json()) as { alias: string }).alias ===
        'Acme again',
    );
    expect(operator()).to.equal(before);
  });

  it('rejects a second run in the same folder', async () => {
    expect(await second?.ended).to.equal(1);
    expect(second?.text.trim().split('\n').at(-1)).to.equal(
      'npm start is already running in this folder. Press Ctrl-C in its terminal first.',
    );
  });

  it('rejects an unknown flag', async () => {
    expect(await unknown?.ended).to.equal(1);
    expect(unknown?.text.trim().split('\n').at(-1)).to.match(/^Unknown option '--nope'\. To list the flags, run /);
  });

  it('stops all parts on Ctrl-C', async () => {
    acme = uid();
    expect(await run?.interrupt()).to.equal(0);
    expect(hasEnded()).to.equal(true);
    expect(readFileSync(join(folder, '.local/gateway.json'), 'utf8')).to.include('acme-001');
  });

  describe('again, with an external gateway', () => {
    let other: DevGateway;
    before(async () => {
      // The first run did both, and printed it.
      expect(run?.text).to.match(INSTALLS).and.match(FETCHES);
      other = await startDevGateway({ port: 0, masterKey: 'sk-other', proxyName: 'litellm' });
      run = new Run(folder, { ...env, GATEWAY_URL: other.url, GATEWAY_MASTER_KEY: 'sk-other' });
      const ms = await run.until(ALL_READY, 120_000);
      console.log(`      second start: ${(ms / 1000).toFixed(1)} s`);
    });
    after(() => other.stop());

    it('has the state of the first run, without installing or fetching anything', () => {
      expect(run?.text).not.to.match(INSTALLS).and.not.match(FETCHES);
      expect(kubectl('get gcust').match(/ true /g)).to.have.length(3);
      expect(uid()).to.equal(acme);
    });

    it('manages the customers of that gateway, and prints how it reaches the guardrail', async () => {
      expect(run?.text)
        .to.match(/^your gateway +http/m)
        .and.match(/playground \(sign in with any user name and the password sk-local-development\)/)
        .and.not.include('sk-other');
      const headers = { authorization: 'Bearer sk-other' };
      await eventually(async () => (await fetch(`${other.url}/customer/info?end_user_id=acme-001`, { headers })).ok);
      const [, url = '', key = ''] = /generic_guardrail_api:\n\n +(\S+)\n +(\S+)\n/.exec(run?.text ?? '') ?? [];
      const body = { input_type: 'request', texts: [`Mail ${EMAIL}`], litellm_call_id: 'c1', request_data: {} };
      const answer = await fetch(`${url}/beta/litellm_basic_guardrail_api`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status).to.equal(200);
      expect(((await answer.json()) as { texts: string[] }).texts[0]).to.match(/^Mail <EMAIL_ADDRESS_\w+>$/);
    });

    it('leaves no process running when it is killed', async () => {
      if (run?.child.pid !== undefined) process.kill(-run.child.pid, 'SIGKILL');
      await run?.ended;
      await eventually(hasEnded);
    });
  });

  describe('without a cluster', () => {
    it('prints why the cluster failed to start, and keeps the local parts running until Ctrl-C', async () => {
      const path = (env.PATH ?? '').split(delimiter).filter((entry) => !existsSync(join(entry, 'go')));
      run = new Run(
        folder,
        {
          ...env,
          PATH: path.join(delimiter),
          HOME: join(work, 'elsewhere'),
          // Nothing listens on the discard port, so every download fails.
          NODE_USE_ENV_PROXY: '1',
          HTTPS_PROXY: 'http://127.0.0.1:9',
        },
        ['--gateway-port=0'],
      );
      await run.until('run until Ctrl-C', 60_000);
      const [why, rest] = run.text.trim().split('\n').slice(-2);
      expect(why).to.match(/^These programs of Kubernetes 1\.36 are missing: kube-apiserver, etcd .*install Go.*$/);
      expect(rest).to.equal(
        'The cluster, the operator and the samples are not running. The development gateway, the guardrail and the ' +
          'playground in the table above run until Ctrl-C.',
      );
      restores();
      await playgroundAnswers();
      expect(await run.interrupt()).to.equal(1);
      await eventually(hasEnded);
    });

    it('stops all parts on Ctrl-C while the API server is being fetched', async () => {
      const its = { ...env, HOME: join(work, 'third') };
      const release = await holdFetching(its);
      try {
        run = new Run(folder, its, ['--gateway-port=0']);
        await run.until(LOCAL_READY, 60_000);
        expect(await run.interrupt()).to.equal(130);
        await eventually(hasEnded);
      } finally {
        await release();
      }
    });
  });
});
