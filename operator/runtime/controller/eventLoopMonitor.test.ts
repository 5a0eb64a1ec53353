import { expect } from 'chai';
import { createLogger } from '../log.ts';
import { LONGEST_BLOCK_MS, monitorEventLoop } from './eventLoopMonitor.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { eventually } from '../testing/eventually.ts';

describe('the event loop monitor', () => {
  it('counts and logs blocks for the controllers with a running reconcile', async () => {
    const metrics = new RuntimeMetrics();
    const lines: string[] = [];
    const stop = monitorEventLoop({
      running: () => [
        { controller: 'busy', objects: ['ns/a'] },
        { controller: 'idle', objects: [] },
      ],
      metrics,
      log: createLogger('info', { write: (line) => lines.push(line) }),
    });
    try {
      await eventually(async () => {
        const until = performance.now() + 1.5 * LONGEST_BLOCK_MS;
        while (performance.now() < until);
        expect(lines.join('')).to.include('"objects":["busy ns/a"]');
        const { values } = await metrics.blockSeconds.get();
        expect(values.some(({ labels }) => labels.controller === 'idle')).to.equal(false);
        const count = (le: number | string): number | undefined =>
          values.find(({ labels }) => labels.controller === 'busy' && (labels as { le?: unknown }).le === le)?.value;
        expect(count('+Inf')).to.be.above(count(0.1) ?? 0);
      });
    } finally {
      stop();
    }
  });
});
