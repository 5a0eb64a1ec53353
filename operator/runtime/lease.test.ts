import { expect } from 'chai';
import { systemClock, type Clock } from './clock.ts';
import { LeaderLease, LeaseLostError, leases, microTime, type LeaseTimes } from './lease.ts';
import { RuntimeMetrics } from './metrics.ts';
import { RestClient } from './client.ts';
import { withTestCluster } from './testing/cluster.ts';
import { eventually } from './testing/eventually.ts';
import { FaultProxy } from './testing/faultProxy.ts';
import { parts, silent } from './testing/widgets.ts';
import { Transport } from './transport.ts';

/** A fifth of the real ones; the API server takes whole seconds. */
const TIMES: LeaseTimes = { durationMs: 3_000, renewDeadlineMs: 2_000, retryMs: 150 };

/** A process that wants to lead. */
interface Candidate {
  readonly lease: LeaderLease;
  readonly proxy: FaultProxy;
  /** Whether it is leading now, as told by what it was called with. */
  leads: boolean;
  terms: number;
  /** Ends its leading from inside, as at a shutdown. */
  readonly finish: () => void;
  readonly stop: AbortController;
  /** How it ended. */
  readonly ended: Promise<unknown>;
}

describe('the leader lease', () => {
  const cluster = withTestCluster();
  const candidates: Candidate[] = [];
  const closing: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const { stop, finish } of candidates) {
      stop.abort();
      finish();
    }
    await Promise.all(candidates.splice(0).map(({ ended }) => ended));
    await Promise.all(closing.splice(0).map((close) => close()));
  });

  async function candidate(identity: string, clock: Clock = systemClock): Promise<Candidate> {
    const proxy = await FaultProxy.start(cluster().kubeConfig);
    const transport = new Transport(proxy.kubeConfig(), parts());
    closing.push(async () => {
      await transport.close();
      await proxy.stop();
    });
    const lease = new LeaderLease({
      client: new RestClient(transport),
      key: { namespace: cluster().namespace, name: 'lease' },
      identity,
      clock,
      log: silent,
      metrics: new RuntimeMetrics(),
      times: TIMES,
    });
    const stop = new AbortController();
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const one: Candidate = {
      lease,
      proxy,
      leads: false,
      terms: 0,
      finish: () => {
        finish();
      },
      stop,
      ended: lease
        .run(async (term) => {
          one.leads = true;
          one.terms += 1;
          const aborted = new Promise<void>((resolve) => {
            term.addEventListener('abort', () => {
              resolve();
            });
          });
          await Promise.race([finished, aborted]);
          one.leads = false;
        }, stop.signal)
        .then(
          () => 'ended',
          (error: unknown) => error,
        ),
    };
    candidates.push(one);
    return one;
  }

  const leads = (one: Candidate): Promise<void> =>
    eventually(() => {
      expect(one.leads).to.equal(true);
    });
  const held = async (): Promise<string | undefined> =>
    (await cluster().direct.get(leases, { namespace: cluster().namespace, name: 'lease' })).spec?.holderIdentity;

  it('is held by one of two, renewed, and released at the end, so that the other need not wait', async () => {
    const first = await candidate('first');
    await leads(first);
    const second = await candidate('second');
    await new Promise((resolve) => setTimeout(resolve, TIMES.durationMs + 500));
    expect([first.leads, second.leads]).to.deep.equal([true, false]);
    expect(await held()).to.equal('first');
    const began = performance.now();
    first.finish();
    await leads(second);
    expect(performance.now() - began).to.be.below(TIMES.durationMs);
    expect(await first.ended).to.equal('ended');
    expect(await held()).to.equal('second');
  });

  it('passes on when its holder is killed, and not before its duration is over', async () => {
    const first = await candidate('first');
    await leads(first);
    const second = await candidate('second');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.proxy.down();
    const began = performance.now();
    await leads(second);
    expect(performance.now() - began).to.be.within(TIMES.durationMs - 500, TIMES.durationMs + 4_000);
    expect(first.leads, 'never two at once').to.equal(false);
    expect(first.lease.leading).to.equal(false);
  });

  it('never has two leaders at once, whatever the network does', async function () {
    this.timeout(60_000);
    const all = [await candidate('a'), await candidate('b')];
    let both = 0;
    let none = 0;
    const watch = setInterval(() => {
      const leading = all.filter(({ leads: is }) => is).length;
      if (leading > 1) both += 1;
      if (leading === 0) none += 1;
    }, 5);
    try {
      for (let round = 0; round < 4; round++) {
        await eventually(() => {
          expect(all.some(({ leads: is }) => is)).to.equal(true);
        });
        const leader = all.find(({ leads: is }) => is);
        if (leader === undefined) continue;
        const fault = round % 2 === 0 ? ({ kind: 'hang' } as const) : ({ kind: 'loseAnswer' } as const);
        leader.proxy.when(({ method }) => method === 'PUT' || fault.kind === 'hang', fault);
        await eventually(() => {
          expect(leader.leads).to.equal(false);
        });
        leader.proxy.heal();
      }
    } finally {
      clearInterval(watch);
    }
    expect(both).to.equal(0);
    expect(none).to.be.above(0);
  });

  it('ends the term of a holder who cannot renew it, and lets it lead again when nobody else took over', async () => {
    const only = await candidate('only');
    await leads(only);
    await only.proxy.down();
    const began = performance.now();
    await eventually(() => {
      expect(only.leads).to.equal(false);
    });
    expect(performance.now() - began).to.be.below(TIMES.durationMs);
    expect(only.lease.leading).to.equal(false);
    await only.proxy.up();
    await leads(only);
    expect(only.terms).to.equal(2);
  });

  it('ends the process that finds another in its place', async () => {
    const first = await candidate('first');
    await leads(first);
    const lease = await cluster().direct.get(leases, { namespace: cluster().namespace, name: 'lease' });
    await cluster().direct.replace(leases, { namespace: cluster().namespace, name: 'lease' }, {
      ...lease,
      spec: { ...lease.spec, holderIdentity: 'usurper' },
    } as object);
    expect(await first.ended).to.be.instanceOf(LeaseLostError);
    expect(first.leads).to.equal(false);
    expect(await held()).to.equal('usurper');
  });

  it('goes on after somebody has merely annotated the lease, or deleted it', async () => {
    const first = await candidate('first');
    await leads(first);
    const key = { namespace: cluster().namespace, name: 'lease' };
    await cluster().direct.patch(leases, key, { metadata: { annotations: { looked: 'at' } } });
    await new Promise((resolve) => setTimeout(resolve, 400));
    await cluster().direct.delete(leases, key);
    await new Promise((resolve) => setTimeout(resolve, TIMES.renewDeadlineMs + 200));
    expect([first.leads, first.terms]).to.deep.equal([true, 1]);
    expect(await held()).to.equal('first');
  });

  for (const hours of [-1, 1]) {
    it(`does not care about a clock that is ${hours} hour off`, async () => {
      const off: Clock = { ...systemClock, now: () => new Date(Date.now() + hours * 3_600_000) };
      const first = await candidate('first', off);
      await leads(first);
      const second = await candidate('second');
      await new Promise((resolve) => setTimeout(resolve, TIMES.durationMs + 300));
      expect([first.leads, second.leads]).to.deep.equal([true, false]);
      await first.proxy.down();
      await leads(second);
    });
  }

  it('knows at once that a stopped process leads no longer, before any timer has run', async () => {
    let jump = 0;
    const clock: Clock = { ...systemClock, monotonic: () => performance.now() + jump };
    const first = await candidate('first', clock);
    await leads(first);
    expect(first.lease.leading).to.equal(true);
    jump = 60_000;
    expect(first.lease.leading).to.equal(false);
  });

  it('writes times as the API server wants them', () => {
    expect(microTime(new Date(Date.UTC(2026, 1, 3, 4, 5, 6, 7)))).to.equal('2026-02-03T04:05:06.007000Z');
  });
});
