import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPki } from '../controlplane/certificates.ts';
import {
  freePort,
  type ManagedProcess,
  portInUse,
  startProcess,
  temporaryFolder,
  waitUntilReady,
} from '../processes.ts';
import { clientOf, findRedisServer, withLibraries } from './program.ts';

const run = promisify(execFile);
/** The maximum time until a server answers. */
export const READY_TIMEOUT_MS = 15_000;

/** One running server. */
export interface RedisServer {
  readonly port: number;
  /** Its address, in the format of the guardrail's store setting. */
  readonly url: string;
  /** Its process, whose id a test needs to suspend it. */
  readonly pid: number;
  /** Runs `redis-cli` with these arguments and returns its output. */
  cli(...args: string[]): Promise<string>;
  /** Kills it, as a crash does. */
  kill(): Promise<void>;
  /** Restarts it on the same port, empty. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** Reports steps that take long. */
  readonly progress?: (message: string) => void;
  /** Additional configuration, as command-line arguments: `['--requirepass', 'secret']`. */
  readonly args?: readonly string[];
  /** The password that clients must send. */
  readonly password?: string;
  /** The program of the server. Default: {@link findRedisServer}. */
  readonly program?: string;
}

/** Starts one server without persistence. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const auth = options.password === undefined ? '' : `:${options.password}@`;
  return startServer(options, (port) => ({
    args: ['--port', String(port)],
    url: `redis://${auth}127.0.0.1:${port}/0`,
  }));
}

/** Starts one server that serves only TLS, with its own authority. The address names its certificate. */
export async function startRedisTls(options: RedisOptions = {}): Promise<RedisServer> {
  const folder = temporaryFolder('redis-tls-');
  const pki = openPki(folder);
  const tls = ['--tls-cert-file', pki.serverCertificate, '--tls-key-file', pki.serverKey];
  const ca = ['--tls-ca-cert-file', pki.caCertificate, '--tls-auth-clients', 'no'];
  return startServer(options, (port) => ({
    args: ['--port', '0', '--tls-port', String(port), ...tls, ...ca],
    url: `rediss://127.0.0.1:${port}/0?ca=${encodeURIComponent(pki.caCertificate)}`,
    cli: ['--tls', '--cacert', pki.caCertificate],
  }));
}

/** What distinguishes one kind of server from another. */
export interface ServerPlan {
  readonly args: readonly string[];
  readonly url: string;
  /** Additional arguments of the client. */
  readonly cli?: readonly string[];
  /** A file to create in the folder first. */
  readonly config?: string;
}

/** Starts a server on a free port. */
export async function startServer(
  options: RedisOptions,
  plan: (port: number, folder: string) => ServerPlan,
): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePortWithBus(), options, plan);
    } catch (error) {
      // Another process has taken the port in the meantime.
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!isTaken || attempt === 5) throw error;
    }
  }
}

/** A node of a Cluster also listens on its port plus 10,000. */
async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + 10_000 < 65_536 && !(await portInUse(port + 10_000))) return port;
  }
}

async function startOn(
  port: number,
  options: RedisOptions,
  plan: (port: number, folder: string) => ServerPlan,
): Promise<RedisServer> {
  const command = options.program ?? (await findRedisServer(options.progress));
  const folder = temporaryFolder('redis-');
  const { args, url, cli: cliArgs = [], config } = plan(port, folder);
  const password = options.password === undefined ? [] : ['--requirepass', options.password];
  const common = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--daemonize', 'no'];
  const client = clientOf(command) ?? clientOf(await findRedisServer(options.progress)) ?? 'redis-cli';
  const auth = options.password === undefined ? [] : ['--no-auth-warning', '-a', options.password];

  const cli = async (...words: string[]): Promise<string> => {
    const at = ['-h', '127.0.0.1', '-p', String(port)];
    const { stdout } = await run(client, [...at, ...auth, ...cliArgs, ...words], { env: withLibraries(client) });
    return stdout;
  };
  const launch = async (): Promise<ManagedProcess> => {
    if (config !== undefined) writeFileSync(join(folder, config), '');
    const child = await startProcess({
      name: `redis-server on port ${port}`,
      command,
      args: [...args, ...common, ...password, ...(options.args ?? [])],
      env: withLibraries(command),
      logFile: join(folder, 'redis.log'),
    });
    await waitUntilReady(child, async () => (await cli('PING').catch(() => '')).startsWith('PONG'), READY_TIMEOUT_MS);
    return child;
  };

  let child = await launch();
  return {
    port,
    url,
    get pid() {
      return child.pid;
    },
    cli,
    kill: () => child.kill(),
    async restart() {
      await child.kill();
      child = await launch();
    },
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
