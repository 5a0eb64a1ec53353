import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { endWithThisProcess } from '../harness/processes.ts';
import { isPaused, pauseBetween, PauseWatch } from './pauses.ts';

describe('pauses of a process', () => {
  for (const { name, waited, elapsed, pause } of [
    { name: 'a process that runs', waited: 0, elapsed: 50, pause: undefined },
    { name: 'a process that shares its processor', waited: 40, elapsed: 50, pause: undefined },
    { name: 'one that shares it while nobody read', waited: 700, elapsed: 1_000, pause: undefined },
    { name: 'a wait that ended in this interval', waited: 3_000, elapsed: 50, pause: { from: 7_000, until: 10_000 } },
    { name: 'a wait while nobody read', waited: 900, elapsed: 1_000, pause: { from: 9_100, until: 10_000 } },
  ]) {
    it(name, () => {
      const before = { at: 10_000 - elapsed, waitedMs: 500 };
      expect(pauseBetween(before, { at: 10_000, waitedMs: 500 + waited })).to.deep.equal(pause);
    });
  }

  for (const { name, from, until, expected } of [
    { name: 'ends before the pause', from: 0, until: 99, expected: false },
    { name: 'ends in the pause', from: 0, until: 101, expected: true },
    { name: 'lasts longer than the pause', from: 0, until: 400, expected: true },
    { name: 'starts while the process catches up', from: 299, until: 310, expected: true },
    { name: 'starts after that', from: 300, until: 310, expected: false },
  ]) {
    it(`a call that ${name} is ${expected ? '' : 'not '}affected`, () => {
      expect(isPaused(from, until, [{ from: 100, until: 200 }])).to.equal(expected);
    });
  }

  it('does not count the time in which the process runs', async () => {
    const runs = 500;
    const loop = `console.log('running'); while (process.cpuUsage().user < ${runs}e3); console.log('ran'); setTimeout(() => {}, 60_000)`;
    const child = spawn(process.execPath, ['-e', loop], { stdio: ['ignore', 'pipe', 'inherit'] });
    endWithThisProcess(child);
    const watch = new PauseWatch();
    try {
      watch.watch(child.pid ?? 0);
      await once(child.stdout, 'data');
      watch.read();
      const from = Date.now();
      await once(child.stdout, 'data');
      watch.read();
      const paused = watch.take().reduce((sum, pause) => sum + pause.until - pause.from, 0);
      // Its start took some of the processor time.
      expect(paused + 0.6 * runs).to.be.at.most(Date.now() - from);
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
    watch.read();
    expect(watch.take()).to.deep.equal([]);
  });
});
