/** Starts LiteLLM servers without a new import of LiteLLM for each, which takes ten seconds of processor time. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithThisProcess, type ManagedProcess, manageProcess, type ProcessOptions } from '../processes.ts';

const PROGRAM = join(import.meta.dirname, 'forkServer.py');

/** What starts a server. */
type Server = Required<Pick<ProcessOptions, 'args' | 'env' | 'cwd' | 'logFile'>>;

let program: ForkServer | undefined;

/**
 * Starts a server. The program that imports LiteLLM and starts its servers runs until this process ends.
 * @param python the interpreter of LiteLLM's virtual environment
 * @param env the environment of the import
 * @throws Error if LiteLLM cannot be imported
 */
export async function forkLiteLlm(python: string, env: NodeJS.ProcessEnv, server: Server): Promise<ManagedProcess> {
  program ??= new ForkServer(python, env);
  return program.start(server);
}

/** The program that imports LiteLLM once. */
class ForkServer {
  readonly #child: ChildProcess;
  readonly #starting: PromiseWithResolvers<number>[] = [];
  readonly #ends = new Map<number, (how: string) => void>();

  constructor(python: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(python, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    endWithThisProcess(this.#child);
    this.#child.unref();
    const { stdin, stdout } = this.#child;
    for (const pipe of [stdin, stdout]) (pipe as Socket | null)?.unref();
    stdin?.on('error', () => undefined);
    this.#child.once('error', (error) => {
      this.#fail(error.message);
    });
    this.#child.once('exit', (code, signal) => {
      this.#fail(`it ended with ${code ?? signal ?? ''}`);
    });
    if (stdout !== null) {
      createInterface({ input: stdout }).on('line', (line) => {
        this.#read(line);
      });
    }
  }

  async start({ args, env, cwd, logFile }: Server): Promise<ManagedProcess> {
    const starting = Promise.withResolvers<number>();
    this.#starting.push(starting);
    this.#child.stdin?.write(`${JSON.stringify({ arguments: args, environment: env, folder: cwd, log: logFile })}\n`);
    const release = this.#hold();
    const pid = await starting.promise.finally(release);
    const { promise: exited, resolve } = Promise.withResolvers<string>();
    this.#ends.set(pid, resolve);
    const ref = (): void => void exited.then(this.#hold());
    return manageProcess({ name: 'LiteLLM', pid, logFile, exited, ref });
  }

  /** Keeps this process alive until the returned function is called. */
  #hold(): () => void {
    const timer = setInterval(() => undefined, 60_000);
    return () => {
      clearInterval(timer);
    };
  }

  #read(line: string): void {
    const [what, pid, status] = line.split(' ');
    if (what === 'started') this.#starting.shift()?.resolve(Number(pid));
    else this.#ends.get(Number(pid))?.(phrase(Number(status)));
  }

  #fail(why: string): void {
    program = undefined;
    for (const { reject } of this.#starting.splice(0)) reject(new Error(`LiteLLM could not be imported: ${why}.`));
    for (const end of this.#ends.values()) end('signal SIGKILL');
  }
}

/** @param status as Python reports it: an exit code, or a negative signal */
function phrase(status: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === -status)?.[0];
  return signal === undefined ? `exit code ${status}` : `signal ${signal}`;
}
