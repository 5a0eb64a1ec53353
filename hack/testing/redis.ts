/**
 * Starts real Redis servers on free loopback ports, for tests, benchmarks and local runs: a single one, with TLS, a Cluster of
 * three masters, or one with a Sentinel. None of them outlives this process.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { openPki } from './controlplane/certificates.ts';
import { isExecutable } from './executables.ts';
import { freePort, portInUse, removeAtExit, startProcess, waitUntilReady, type ManagedProcess } from './processes.ts';

const run = promisify(execFile);
const READY_TIMEOUT_MS = 15_000;
const MASTERS = 3;
const NAMES = ['redis-server', 'valkey-server'];

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

/** Several servers with one address. */
export interface RedisGroup {
  readonly url: string;
  readonly servers: readonly RedisServer[];
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

/**
 * The program of the server: from `REDIS_SERVER`, from PATH or from the cache. On Debian and its derivatives also from the
 * package `redis-server`, which root installs and other users unpack into the cache.
 * @throws Error with one sentence that says what to install
 */
export async function findRedisServer(progress: (message: string) => void = () => undefined): Promise<string> {
  const configured = process.env.REDIS_SERVER;
  if (configured !== undefined && configured !== '') {
    if (isExecutable(configured)) return configured;
    throw new Error(`REDIS_SERVER names ${configured}, which is not a program that can be run.`);
  }
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gateway-guardrail-operator', 'redis');
  const found = onPath() ?? cachedBinary(cache);
  if (found !== undefined) return found;
  if (await hasProgram('apt-get')) {
    try {
      if (process.getuid?.() === 0) await installPackage(progress);
      else await unpackPackage(cache, progress);
    } catch (error) {
      throw new Error(
        `Redis was not found and the package redis-server could not be fetched: install redis-server or valkey-server.`,
        { cause: error },
      );
    }
    const installed = onPath() ?? cachedBinary(cache);
    if (installed !== undefined) return installed;
  }
  throw new Error('Redis was not found: install redis-server (6.2 or later) or valkey-server, so that it is on PATH.');
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
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  removeAtExit(folder);
  const pki = openPki(folder);
  const tls = ['--tls-cert-file', pki.serverCertificate, '--tls-key-file', pki.serverKey];
  const ca = ['--tls-ca-cert-file', pki.caCertificate, '--tls-auth-clients', 'no'];
  return startServer(options, (port) => ({
    args: ['--port', '0', '--tls-port', String(port), ...tls, ...ca],
    url: `rediss://127.0.0.1:${port}/0?ca=${encodeURIComponent(pki.caCertificate)}`,
    cli: ['--tls', '--cacert', pki.caCertificate],
  }));
}

/**
 * Starts a Cluster of three masters, each with a third of the slots. There are no replicas, or one of the first master, which
 * is the fourth server.
 */
export async function startRedisCluster(
  options: RedisOptions & { readonly firstHasReplica?: true } = {},
): Promise<RedisGroup> {
  const servers: RedisServer[] = [];
  const stop = stopAll(servers);
  const size = options.firstHasReplica === true ? 4 : 3;
  try {
    for (let n = 0; n < size; n += 1) {
      servers.push(
        await startServer(options, (port, folder) => ({
          args: [
            ...['--port', String(port), '--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
            ...['--cluster-config-file', join(folder, 'nodes.conf'), '--cluster-require-full-coverage', 'no'],
          ],
          url: `redis://127.0.0.1:${port}`,
        })),
      );
    }
    const [first, ...others] = servers;
    if (!first) throw new Error('A Cluster needs a server.');
    for (const [at, server] of servers.slice(0, MASTERS).entries()) {
      const from = Math.floor((at * 16384) / MASTERS);
      const to = Math.floor(((at + 1) * 16384) / MASTERS);
      // One by one, because ADDSLOTSRANGE needs Redis 7.
      const slots = Array.from({ length: to - from }, (_, slot) => String(from + slot));
      await server.cli('CLUSTER', 'ADDSLOTS', ...slots);
      await server.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    }
    for (const other of others) await first.cli('CLUSTER', 'MEET', '127.0.0.1', String(other.port));
    await until(async () => {
      for (const server of servers) {
        const info = await server.cli('CLUSTER', 'INFO');
        if (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${size}`)) return false;
        if (!info.includes('cluster_slots_ok:16384')) return false;
      }
      return true;
    }, 'The Redis Cluster did not form.');
    const replica = servers[MASTERS];
    if (replica) {
      await replica.cli('CLUSTER', 'REPLICATE', (await first.cli('CLUSTER', 'MYID')).trim());
      await until(
        async () => (await first.cli('INFO', 'replication')).includes('state=online'),
        'The replica in the Redis Cluster did not reach its master.',
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = servers.map((server) => `127.0.0.1:${server.port}`);
  return { url: `redis+cluster://${hosts.join(',')}`, servers, stop };
}

/** Starts a master, its replica, and a Sentinel that fails over after half a second. `servers` is in this order. */
export async function startRedisSentinel(options: RedisOptions = {}): Promise<RedisGroup> {
  const servers: RedisServer[] = [];
  const stop = stopAll(servers);
  try {
    const master = await startRedis(options);
    servers.push(master);
    const replica = await startRedis({
      ...options,
      args: [
        ...(options.args ?? []),
        '--replicaof',
        '127.0.0.1',
        String(master.port),
        '--repl-diskless-sync-delay',
        '0',
      ],
    });
    servers.push(replica);
    await until(
      async () => (await replica.cli('INFO', 'replication')).includes('master_link_status:up'),
      'The Redis replica did not reach its master.',
    );
    const sentinel = await startServer(options, (port, folder) => ({
      // A Sentinel rewrites its configuration, so it needs a file, which can be empty.
      args: [join(folder, 'sentinel.conf'), '--sentinel', '--port', String(port)],
      config: 'sentinel.conf',
      url: `redis+sentinel://127.0.0.1:${port}/main/0`,
    }));
    servers.push(sentinel);
    await sentinel.cli('SENTINEL', 'MONITOR', 'main', '127.0.0.1', String(master.port), '1');
    await sentinel.cli('SENTINEL', 'SET', 'main', 'down-after-milliseconds', '500', 'failover-timeout', '3000');
    await until(
      async () => (await sentinel.cli('SENTINEL', 'REPLICAS', 'main')).includes(String(replica.port)),
      'The Sentinel did not find the replica.',
    );
    return { url: sentinel.url, servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Plan {
  readonly args: readonly string[];
  readonly url: string;
  /** Additional arguments of the client. */
  readonly cli?: readonly string[];
  /** A file to create in the folder first. */
  readonly config?: string;
}

async function startServer(options: RedisOptions, plan: (port: number, folder: string) => Plan): Promise<RedisServer> {
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
  plan: (port: number, folder: string) => Plan,
): Promise<RedisServer> {
  const command = options.program ?? (await findRedisServer(options.progress));
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  removeAtExit(folder);
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

function stopAll(servers: readonly RedisServer[]): () => Promise<void> {
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}

async function until(condition: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(failure);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The client in the folder of a server. */
function clientOf(server: string): string | undefined {
  const client = join(server, '..', server.endsWith('valkey-server') ? 'valkey-cli' : 'redis-cli');
  return isExecutable(client) ? client : undefined;
}

function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(caches, 'gateway-guardrail-operator', 'redis');
}

function onPath(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function cachedBinary(cache: string): string | undefined {
  return ['redis-server', 'redis-check-rdb'].map((name) => join(cache, 'usr', 'bin', name)).find(isExecutable);
}

async function hasProgram(name: string): Promise<boolean> {
  return run('which', [name]).then(
    () => true,
    () => false,
  );
}

async function installPackage(progress: (message: string) => void): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // The package starts a system service after its installation, which is not wanted here.
  const options = ['-o', 'Dpkg::Use-Pty=0', 'install', '--yes', '--no-install-recommends', 'redis-server'];
  progress('Installing the package redis-server …');
  await run('apt-get', options, { env }).catch(async () => {
    progress('Reading the package lists first …');
    await run('apt-get', ['update'], { env });
    await run('apt-get', options, { env });
  });
}

async function unpackPackage(cache: string, progress: (message: string) => void): Promise<void> {
  const packages = join(cache, 'packages');
  mkdirSync(packages, { recursive: true });
  progress(`Downloading the package redis-server and unpacking it into ${cache} …`);
  // Debian's redis-server is a link to redis-check-rdb of redis-tools, which needs these libraries.
  const wanted = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblua5.1-0', 'liblzf1'];
  const optional = ['lua-bitop', 'lua-cjson', 'libhiredis0.14', 'libhiredis1.1.0'];
  await run('apt-get', ['download', ...wanted], { cwd: packages });
  for (const name of optional) await run('apt-get', ['download', name], { cwd: packages }).catch(() => undefined);
  for (const file of readdirSync(packages)) await run('dpkg-deb', ['-x', join(packages, file), cache]);
}

/** An unpacked package finds its libraries beside it, an installed one in the system's folders. */
function withLibraries(command: string): NodeJS.ProcessEnv {
  const libraries = join(command, '..', '..', 'lib');
  if (!command.startsWith(cacheFolder())) return process.env;
  const folders = readdirSync(libraries).map((name) => join(libraries, name));
  return { ...process.env, LD_LIBRARY_PATH: folders.join(delimiter) };
}
