import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[];
      };
    };
  };
}

describe('NODE_OPTIONS of the operator', () => {
  it('starts the version of Node that the project runs on, also on a thread, and bounds its heap', () => {
    const manifest = parse(readFileSync(join(import.meta.dirname, 'deployment.yaml'), 'utf8')) as Deployment;
    const env = manifest.spec.template.spec.containers.flatMap((container) => container.env);
    const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
    const heapOf = (NODE_OPTIONS: string): number => {
      const program = `
        const { Worker } = require('node:worker_threads');
        const heap = () => require('node:v8').getHeapStatistics().heap_size_limit;
        new Worker('', { eval: true }).on('exit', (code) => { console.log(code === 0 ? heap() : 'The thread failed.'); });
      `;
      const output = execFileSync(process.execPath, ['--eval', program], { env: { NODE_OPTIONS }, encoding: 'utf8' });
      return Number(output);
    };
    expect(options).to.match(/^--max-old-space-size-percentage=\d+ /);
    const little = options?.replace(/percentage=\d+/, 'percentage=1') ?? '';
    expect(heapOf(options ?? '')).to.be.greaterThan(heapOf(little));
  });
});
