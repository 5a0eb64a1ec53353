import { expect } from 'chai';
import { microTime, systemClock, type Clock } from '../clock.ts';
import { LeaderLease, LeaseLostError, leases, type LeaseTimes } from './lease.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { RestClient } from '../client/client.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { FaultProxy } from '../testing/faultProxy.ts';
import { transportOptions, silentLog } from '../testing/widgets.ts';
import { Transport } from '../client/transport.ts';

/** A fifth of the defaults. The API server accepts only whole seconds. */
const TIMES: LeaseTimes = { durationMs: 3_000, renewDeadlineMs: 2_000, retryMs: 150 };
/** Long enough never to expire in a test: an earlier change of the leader has another cause. */
const LONG: LeaseTimes = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 150 };

/** A process that takes part in the election. */
interface Candidate {
  readonly lease: LeaderLease;
  readonly proxy: FaultProxy;
  /** Whether it leads now, according to its callback. */
  leads: boolean;
  terms: number;
  /** Ends its leading from inside, as at a shutdown. */
  readonly finish: () => void;
  readonly stop: AbortController;
  /** The result of its run. */
  readonly ended: Promise<unknown>;
}

describe('the leader lease', function () {
  this.timeout(60_000);
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

  async function candidate(
    identity: string,
    { clock = systemClock, times = TIMES }: { clock?: Clock; times?: LeaseTimes } = {},
  ): Promise<Candidate> {
    const proxy = await FaultProxy.start(cluster().kubeConfig);
    const transport = new Transport(proxy.kubeConfig(), transportOptions());
    closing.push(async () => {
      await transport.close();
      await proxy.stop();
    });
    const lease = new LeaderLease({
      client: new RestClient(transport),
      key: { namespace: cluster().namespace, name: 'lease' },
      identity,
      clock,
      log: silentLog,
      metrics: new RuntimeMetrics(),
      times,
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
  const lease = () => cluster().direct.get(leases, { namespace: cluster().namespace, name: 'lease' });
  const held = async (): Promise<string | undefined> => (await lease()).spec?.holderIdentity;

  it('has one holder that renews it', async () => {
    const first = await candidate('first');
    await leads(first);
    const second = await candidate('second');
    await new Promise((resolve) => setTimeout(resolve, TIMES.durationMs + 500));
    expect([first.leads, second.leads]).to.deep.equal([true, false]);
    expect(await held()).to.equal('first');
  });

  it('is released at the end, so that another candidate need not wait', async () => {
    const first = await candidate('first', { times: LONG });
    await leads(first);
    const second = await candidate('second', { times: LONG });
    first.finish();
    await leads(second);
    expect(await first.ended).to.equal('ended');
    expect(await held()).to.equal('second');
  });

  it('is taken over when its holder is killed, after its duration', async () => {
    const first = await candidate('first');
    await leads(first);
    const second = await candidate('second');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.proxy.down();
    const renewed = Date.parse((await lease()).spec?.renewTime ?? '');
    await leads(second);
    expect(first.leads, 'never two leaders at once').to.equal(false);
    expect(first.lease.leading).to.equal(false);
    const { acquireTime = '' } = (await lease()).spec ?? {};
    expect(Date.parse(acquireTime) - renewed).to.be.at.least(TIMES.durationMs);
  });

  it('never has two leaders at once under network faults', async function () {
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

  it('ends the term of a leader that cannot renew, and lets it lead again if no other process took over', async () => {
    // Longer than the test, so that no other process could take over.
    const only = await candidate('only', { times: { ...TIMES, durationMs: LONG.durationMs } });
    await leads(only);
    await only.proxy.down();
    await eventually(() => {
      expect(only.leads).to.equal(false);
    });
    expect(only.lease.leading).to.equal(false);
    await only.proxy.up();
    await leads(only);
    expect(only.terms).to.equal(2);
  });

  it('ends the process when another one has taken over', async () => {
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

  it('survives an annotation and a deletion of the lease', async () => {
    const first = await candidate('first', { times: LONG });
    await leads(first);
    const key = { namespace: cluster().namespace, name: 'lease' };
    const renewed = async (since: string): Promise<void> =>
      eventually(async () => {
        const { metadata, spec } = await lease();
        expect(spec?.holderIdentity).to.equal('first');
        expect(Number(metadata.resourceVersion)).to.be.above(Number(since));
      });
    const annotated = await cluster().direct.patch(leases, key, { metadata: { annotations: { looked: 'at' } } });
    await renewed(annotated.metadata.resourceVersion);
    await cluster().direct.delete(leases, key);
    await renewed(annotated.metadata.resourceVersion);
    expect([first.leads, first.terms]).to.deep.equal([true, 1]);
  });

  for (const hours of [-1, 1]) {
    it(`works with a clock that is ${hours} hour off`, async () => {
      const off: Clock = { ...systemClock, now: () => new Date(Date.now() + hours * 3_600_000) };
      const first = await candidate('first', { clock: off });
      await leads(first);
      const second = await candidate('second');
      await new Promise((resolve) => setTimeout(resolve, TIMES.durationMs + 300));
      expect([first.leads, second.leads]).to.deep.equal([true, false]);
      await first.proxy.down();
      await leads(second);
    });
  }

  it('detects the end of leadership in a suspended process before any timer has run', async () => {
    let jump = 0;
    const clock: Clock = { ...systemClock, monotonic: () => performance.now() + jump };
    const first = await candidate('first', { clock });
    await leads(first);
    expect(first.lease.leading).to.equal(true);
    jump = 60_000;
    expect(first.lease.leading).to.equal(false);
  });

  it('writes timestamps in the format of the API server', () => {
    expect(microTime(new Date(Date.UTC(2026, 1, 3, 4, 5, 6, 7)))).to.equal('2026-02-03T04:05:06.007000Z');
  });
});
