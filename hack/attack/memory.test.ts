import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { endWithThisProcess } from '../harness/processes.ts';
import { collectable, collected, processorMs, waitedMs } from './memory.ts';

describe('what a program under attack reports', () => {
  it('is its memory, and the longest time for which its event loop was blocked since the last report', async () => {
    const blocks = `setTimeout(() => {
      const { user: from } = process.threadCpuUsage();
      while (process.threadCpuUsage().user - from < 300_000);
      console.log('blocked');
    });
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, [...collectable(), '-e', blocks], { stdio: ['ignore', 'pipe', 'inherit'] });
    endWithThisProcess(child);
    const pid = child.pid ?? 0;
    try {
      await once(child.stdout, 'data');
      const first = await collected(pid);
      // Some kernels count the time of a thread in steps of 4 ms.
      expect(first.blockedMs).to.be.at.least(290);
      expect(first.liveBytes).to.be.within(2 ** 20, first.bytes);
      expect(processorMs(pid)).to.be.at.least(290);
      expect(waitedMs(pid)).to.be.at.least(0);
      expect((await collected(pid)).blockedMs).to.be.below(150);
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
    expect(waitedMs(pid)).to.equal(0);
    const failed = await collected(pid).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
    expect(failed).to.equal('ESRCH');
  });
});
