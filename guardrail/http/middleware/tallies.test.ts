import { expect } from 'chai';
import { Counter, Histogram, Registry } from 'prom-client';
import { TalliedCounter, TalliedHistogram } from './tallies.ts';

describe('tallied metrics', () => {
  const counter = { name: 'calls_total', help: 'Calls.', labelNames: ['route', 'status'] };
  const histogram = { name: 'seconds', help: 'Times.', labelNames: ['route'], buckets: [0.1, 1] };

  it('show what the metrics of prom-client show, at each reading', async () => {
    const [plain, tallied] = [new Registry(), new Registry()];
    const counters = [
      new Counter({ ...counter, registers: [plain] }),
      new TalliedCounter({ ...counter, registers: [tallied] }),
    ];
    const histograms = [
      new Histogram({ ...histogram, registers: [plain] }),
      new TalliedHistogram({ ...histogram, registers: [tallied] }),
    ];
    for (let reading = 0; reading < 3; reading += 1) {
      for (const one of counters) {
        one.inc({ route: '/none', status: 404 }, 0);
        for (let n = 0; n < 5; n += 1) one.inc({ route: '/a', status: 200 + (n % 2) });
        one.inc({ route: '/b', status: 200 }, 7);
      }
      for (const one of histograms) {
        for (let n = 0; n < 600; n += 1) one.observe({ route: n % 3 === 0 ? '/a' : '/b' }, n / 400);
      }
      expect(await linesOf(tallied)).to.deep.equal(await linesOf(plain));
    }
  });

  it('refuse a label that they do not have when they are read', async () => {
    const registry = new Registry();
    new TalliedCounter({ ...counter, registers: [registry] }).inc({ other: 'x' });
    expect(await registry.metrics().catch((error: unknown) => error)).to.be.instanceOf(Error);
  });

  it('count without labels', async () => {
    const registry = new Registry();
    new TalliedCounter({ name: 'all_total', help: 'All.', registers: [registry] }).inc();
    expect(await registry.metrics()).to.include('all_total 1');
  });
});

/** The order of the series of a metric has no meaning. */
async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').sort();
}
