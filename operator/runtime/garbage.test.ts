import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { isWorthwhile } from './garbage.ts';

const MIB = 2 ** 20;

describe('the garbage of a process at rest', function () {
  this.timeout(30_000);

  it('is worth a collection if the heap has grown by some MiB and by a fifth', () => {
    expect(isWorthwhile(20 * MIB, 0)).to.equal(true);
    expect(isWorthwhile(25 * MIB, 20 * MIB)).to.equal(false);
    expect(isWorthwhile(26 * MIB, 20 * MIB)).to.equal(true);
    expect(isWorthwhile(110 * MIB, 100 * MIB)).to.equal(false);
  });

  it('is collected, and the flags of V8 remain as they were', () => {
    const program = `
      import { getHeapStatistics } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      import { collectGarbageAtRest } from ${JSON.stringify(join(import.meta.dirname, 'garbage.ts'))};
      const stop = collectGarbageAtRest(50);
      let garbage = Array.from({ length: 300_000 }, (_, at) => ({ at }));
      const before = getHeapStatistics().used_heap_size;
      garbage = undefined;
      const waits = setInterval(() => {
        const after = getHeapStatistics().used_heap_size;
        if (after > before / 2) return;
        clearInterval(waits);
        stop();
        console.log(runInNewContext('typeof gc'));
      }, 20);
    `;
    const args = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 })).to.equal('undefined\n');
  });
});
