import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { nodeFlagsOf, operatorContainer } from '../../hack/harness/operatorContainer.ts';

describe('the options of Node of the operator', () => {
  it('starts the version of Node that the project runs on, also on a thread, and bounds its heap', () => {
    const container = operatorContainer();
    const options = container.env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
    const heapOf = (NODE_OPTIONS: string): number => {
      const program = `
        const { Worker } = require('node:worker_threads');
        const heap = () => require('node:v8').getHeapStatistics().heap_size_limit;
        new Worker('', { eval: true }).on('exit', (code) => { console.log(code === 0 ? heap() : 'The thread failed.'); });
      `;
      const output = execFileSync(process.execPath, [...nodeFlagsOf(container), '--eval', program], {
        env: { NODE_OPTIONS },
        encoding: 'utf8',
      });
      return Number(output);
    };
    expect(options).to.match(/^--max-old-space-size-percentage=\d+ /);
    const little = options?.replace(/percentage=\d+/, 'percentage=1') ?? '';
    expect(heapOf(options ?? '')).to.be.greaterThan(heapOf(little));
  });
});
