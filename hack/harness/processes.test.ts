import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startProcess, waitUntilReady } from './processes.ts';

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('child processes', () => {
  let folder = '';
  const logFile = (): string => join(folder, 'logs', 'child.log');
  const shell = (script: string) =>
    startProcess({ name: 'child', command: '/bin/sh', args: ['-c', script], logFile: logFile() });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'processes-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('log their output and report how they ended', async () => {
    const child = await shell('echo one; echo two >&2; exit 3');
    expect(await child.exited).to.equal('exit code 3');
    expect(child.end).to.equal('exit code 3');
    expect(child.lastLines()).to.deep.equal(['one', 'two']);
  });

  it('end by SIGTERM in order', async () => {
    const child = await shell('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.02; done');
    await waitUntilReady(child, () => Promise.resolve(child.lastLines().includes('up')), 5_000);
    await child.stop();
    expect(child.end).to.equal('exit code 0');
    // A shell can also report that its own child was terminated.
    expect(child.lastLines().at(-1)).to.equal('bye');
  });

  it('end by SIGKILL, with their own children, if they ignore SIGTERM', async () => {
    const child = await shell('trap "" TERM; sleep 600 & echo $!; wait; wait');
    await waitUntilReady(child, () => Promise.resolve(Number(child.lastLines()[0]) > 0), 5_000);
    const grandchild = Number(child.lastLines()[0]);
    await child.stop(100);
    expect(child.end).to.equal('signal SIGKILL');
    while (alive(grandchild)) await delay(10);
  });

  it('report the end of the log if they end before they are ready', async () => {
    const child = await shell('echo no such database; exit 1');
    const error = await waitUntilReady(child, () => Promise.resolve(false), 5_000).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    expect((error as Error).message).to.equal(
      `child ended with exit code 1 before it was ready. The end of its log (${logFile()}):\n  no such database`,
    );
  });

  it('report a missing program', async () => {
    const error = await startProcess({
      name: 'etcd',
      command: join(folder, 'none'),
      args: [],
      logFile: logFile(),
    }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.match(/^etcd could not be started: spawn .* ENOENT\.$/);
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`end with the process that started them, also if it was ended by ${signal}`, async () => {
      const pidFile = join(folder, 'pid');
      const program = `
        import { writeFileSync } from 'node:fs';
        const { startProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'processes.ts'))});
        const child = await startProcess({ name: 'sleep', command: 'sleep', args: ['600'], logFile: ${JSON.stringify(logFile())} });
        writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
        setInterval(() => undefined, 1000);`;
      const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
      const read = (): number => {
        try {
          return Number(readFileSync(pidFile, 'utf8'));
        } catch {
          return 0;
        }
      };
      while (read() === 0 && parent.exitCode === null) await delay(10);
      const pid = read();
      expect(alive(pid)).to.equal(true);
      parent.kill(signal);
      while (alive(pid)) await delay(10);
    });
  }
});
