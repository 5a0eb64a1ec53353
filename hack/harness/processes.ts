/**
 * Child processes that never outlive this process, whether it exits, fails or is killed. Their output is written to a file.
 * They do not keep the event loop alive, so a test run ends with its tests.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProcessOptions {
  /** The name in messages. */
  name: string;
  command: string;
  args: readonly string[];
  /** The working directory. Default: that of this process. */
  cwd?: string;
  /** The complete environment. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** The file to which standard output and error are appended. Missing folders are created. */
  logFile: string;
}

export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has ended, with a phrase such as `exit code 1` or `signal SIGKILL`. */
  readonly exited: Promise<string>;
  /** How the process ended; undefined while it runs. */
  readonly end: string | undefined;
  /** Sends SIGTERM, and SIGKILL after `graceMs` milliseconds. Resolves when the process has ended. */
  stop(graceMs?: number): Promise<void>;
  /** Kills the process with SIGKILL, as a crash does. */
  kill(): Promise<void>;
  /** The last lines of the log, oldest first. */
  lastLines(count?: number): string[];
}

/** Ids of process groups. */
const live = new Set<number>();
const temporary = new Set<string>();
let reaper: ChildProcess | undefined;

/** Starts a process. Throws one sentence if the command cannot be started. */
export async function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', log, log],
    // Its own process group: Ctrl-C in the terminal reaches only this process, which then stops the others in order.
    detached: true,
  });
  closeSync(log);
  endWithThisProcess(child);
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new Error(`${options.name} could not be started: ${error.message}.`));
    });
  });
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`);
    });
  });
  await started;
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.name} could not be started.`);
  child.unref();

  const ref = (): void => {
    child.ref();
  };
  return manageProcess({ ...options, pid, exited, ref });
}

/**
 * Manages a process that leads a process group of its own.
 * @param options `exited` resolves when the process has ended; `ref` is called before this process waits for that
 */
export function manageProcess({
  name,
  pid,
  logFile,
  exited,
  ref,
}: Pick<ManagedProcess, 'name' | 'pid' | 'logFile' | 'exited'> & { readonly ref: () => void }): ManagedProcess {
  live.add(pid);
  tellReaper();
  let end: string | undefined;
  void exited.then((how) => {
    end = how;
    live.delete(pid);
    tellReaper();
  });
  const endBy = async (signal: NodeJS.Signals, graceMs: number): Promise<void> => {
    if (end !== undefined) return;
    ref();
    signalGroup(pid, signal);
    if (signal !== 'SIGKILL') {
      const timer = setTimeout(() => {
        signalGroup(pid, 'SIGKILL');
      }, graceMs);
      await exited;
      clearTimeout(timer);
    }
    await exited;
  };
  return {
    name,
    pid,
    logFile,
    exited,
    get end() {
      return end;
    },
    stop: (graceMs = 10_000) => endBy('SIGTERM', graceMs),
    kill: () => endBy('SIGKILL', 0),
    lastLines: (count = 15) => lastLines(logFile, count),
  };
}

/** Kills a process that was spawned `detached`, with its group, when this process ends for any reason. */
export function endWithThisProcess(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  live.add(pid);
  tellReaper();
  child.once('exit', () => {
    live.delete(pid);
    tellReaper();
  });
}

/** The last lines of a log file, oldest first; none if the file does not exist. */
export function lastLines(file: string, count: number): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count);
  } catch {
    return [];
  }
}

/** Removes a folder and its contents when this process ends. */
export function removeAtExit(folder: string): void {
  installExitHandler();
  temporary.add(folder);
}

/** A new folder, by default in that of the system, which is removed with its contents when this process ends. */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix));
  removeAtExit(folder);
  return folder;
}

/** A port of 127.0.0.1 on which nothing listens. Another process can take it before the caller does, so callers must retry. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether a port of 127.0.0.1 accepts connections. */
export async function portInUse(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/**
 * Waits until `ready` returns true. It asks every 50 ms.
 * @throws Error with the last lines of the log if the process ends first, or after `timeoutMs`
 */
export async function waitUntilReady(
  child: ManagedProcess,
  ready: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await ready())) {
    if (child.end !== undefined) throw new ProcessFailure(child, `ended with ${child.end} before it was ready`);
    if (performance.now() > deadline) throw new ProcessFailure(child, `was not ready after ${timeoutMs / 1000} s`);
    await delay(50);
  }
}

/** Whether a URL answers a GET with a status of 200 to 299 within ten seconds. As for a kubelet, any certificate will do. */
export async function answersOk(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000);
  try {
    if (url.startsWith('https:')) {
      const sent = request(url, { signal, rejectUnauthorized: false, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.destroy();
      return response.statusCode === 200;
    }
    const response = await fetch(url, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** A child process failed. The message ends with the last lines of its log. */
export class ProcessFailure extends Error {
  override name = 'ProcessFailure';

  constructor(child: Pick<ManagedProcess, 'name' | 'logFile' | 'lastLines'>, what: string) {
    const lines = child.lastLines().map((line) => `  ${line}`);
    super([`${child.name} ${what}. The end of its log (${child.logFile}):`, ...lines].join('\n'));
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended in the meantime, which is what was wanted.
  }
}

function installExitHandler(): void {
  if (process.listeners('exit').includes(atExit)) return;
  process.on('exit', atExit);
}

function atExit(): void {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/**
 * The reaper is a shell that reads the current children from a pipe. When this process ends for any reason, the pipe closes and
 * the reaper kills the children.
 */
function tellReaper(): void {
  installExitHandler();
  if (!reaper) {
    const script =
      "trap '' INT TERM HUP; while read -r line; do pids=$line; done; for p in $pids; do kill -9 -$p 2>/dev/null; done";
    reaper = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    reaper.on('error', () => undefined);
    reaper.stdin?.on('error', () => undefined);
    reaper.unref();
    (reaper.stdin as Socket | null)?.unref();
  }
  reaper.stdin?.write(`${[...live].join(' ')}\n`);
}
