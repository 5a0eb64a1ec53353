import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startProcess, temporaryFolder, waitUntilReady } from '../processes.ts';

const run = promisify(execFile);
const USER = 'gateway';
const TEMPLATE = 'gateway';
const READY_MS = 30_000;

function binaries(): string {
  const found = globSync('/usr/lib/postgresql/*/bin/initdb').sort().at(-1);
  if (found === undefined) throw new Error('PostgreSQL is not installed. Install it (apt-get install postgresql).');
  return found.replace(/initdb$/, '');
}

/** PostgreSQL does not run as root, so root runs it as the user postgres. */
function asServer(command: string, args: readonly string[]): [command: string, args: string[]] {
  if (process.getuid?.() !== 0) return [command, [...args]];
  return ['runuser', ['-u', 'postgres', '--', command, ...args]];
}

let server: Promise<{ readonly psql: string; readonly url: string }> | undefined;
let databases = 0;

/**
 * Creates a database that contains only what SQL scripts have written. Its server runs until this process ends.
 * @param scripts the same at each call
 * @returns its URL
 * @throws Error with one sentence if PostgreSQL is missing or a script fails
 */
export async function createDatabase(scripts: readonly string[]): Promise<string> {
  server ??= startPostgres(scripts);
  const { psql, url } = await server;
  const name = `${TEMPLATE}_${(databases += 1)}`;
  await run(psql, [`${url}postgres`, '-qc', `create database ${name} template ${TEMPLATE}`]);
  return `${url}${name}`;
}

/** Starts a server on a free loopback port, and runs the scripts in its template database. */
async function startPostgres(scripts: readonly string[]): Promise<{ psql: string; url: string }> {
  const bin = binaries();
  const folder = temporaryFolder('conformance-pg-', '/tmp');
  if (process.getuid?.() === 0) await run('chown', ['postgres', folder]);
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  await run(...asServer(`${bin}initdb`, ['-D', data, '-A', 'trust', '-U', USER, '--no-sync']), { cwd: '/' });
  const port = await freePort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'];
  const [command, args] = asServer(`${bin}postgres`, ['-D', data, '-p', String(port), ...settings]);
  const logs = temporaryFolder('conformance-pg-log-', '/tmp');
  const child = await startProcess({
    name: 'PostgreSQL',
    command,
    args,
    cwd: '/',
    logFile: join(logs, 'postgres.log'),
  });
  const [psql, url] = [`${bin}psql`, `postgresql://${USER}@127.0.0.1:${port}/`];
  await waitUntilReady(child, () => succeeds(psql, [`${url}postgres`, '-qc', 'select 1']), READY_MS);
  await run(psql, [`${url}postgres`, '-qc', `create database ${TEMPLATE}`]);
  await load(psql, `${url}${TEMPLATE}`, scripts);
  return { psql, url };
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return run(command, [...args]).then(
    () => true,
    () => false,
  );
}

async function load(psql: string, url: string, scripts: readonly string[]): Promise<void> {
  const sql = (await Promise.all(scripts.map((script) => readFile(script, 'utf8')))).join('\n;\n');
  const child = run(psql, [url, '-q', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { maxBuffer: 64 * 1024 * 1024 });
  child.child.stdin?.end(sql);
  await child.catch((error: unknown) => {
    throw new Error("Creating the gateway's tables in PostgreSQL failed.", { cause: error });
  });
}
