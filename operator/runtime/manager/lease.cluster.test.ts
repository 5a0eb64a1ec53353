import { expect } from 'chai';
import { microTime, type Clock } from '../clock.ts';
import { LeaderLease, LeaseLostError, leases, type LeaseTimes } from './lease.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { RestClient } from '../client/client.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { FaultProxy } from '../testing/faultProxy.ts';
import { SkippingClock } from '../testing/skippingClock.ts';
import { transportOptions, silentLog } from '../testing/widgets.ts';
import { Transport } from '../client/transport.ts';

/** So long that they end only when the test skips time, however busy the machine is. Only the retries are short. */
const TIMES: LeaseTimes = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 50 };

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
  /** The clock of all candidates. */
  let clock: SkippingClock;
  /** How often a term began while another candidate was leading. */
  let overlaps: number;

  beforeEach(() => {
    clock = new SkippingClock();
    overlaps = 0;
  });
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
    /** How far its time of day is ahead. */
    aheadMs = 0,
  ): Promise<Candidate> {
    const own: Clock = {
      monotonic: () => clock.monotonic(),
      now: () => new Date(clock.now().getTime() + aheadMs),
      after: (ms, callback) => clock.after(ms, callback),
      random: () => clock.random(),
    };
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
      clock: own,
      log: silentLog,
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
          if (candidates.some((other) => other.leads)) overlaps += 1;
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

  /** Waits until a candidate has read or written the lease after now. */
  const tries = async ({ proxy }: Candidate): Promise<void> => {
    const before = proxy.requests.length;
    // The next request may have been sent before now.
    await eventually(() => {
      expect(proxy.requests.length).to.be.at.least(before + 2);
    });
  };

  for (const hours of [0, -1, 1]) {
    it(`has one holder, and another one after that is killed, with a clock that is ${hours} hours off`, async () => {
      const first = await candidate('first', hours * 3_600_000);
      await leads(first);
      const second = await candidate('second');
      for (let skipped = 0; skipped < 2 * TIMES.durationMs; skipped += TIMES.durationMs / 2) {
        clock.skip(TIMES.durationMs / 2);
        await tries(first);
        await tries(second);
      }
      expect([first.leads, second.leads]).to.deep.equal([true, false]);
      expect(await held()).to.equal('first');

      await first.proxy.down();
      await tries(second);
      clock.skip(TIMES.durationMs - 10_000);
      await eventually(() => {
        expect(first.leads).to.equal(false);
      });
      await tries(second);
      expect(second.leads).to.equal(false);
      clock.skip(10_000);
      await leads(second);
      expect(first.lease.leading).to.equal(false);
      expect(await held()).to.equal('second');
    });
  }

  it('is released at the end, so that another candidate need not wait', async () => {
    const first = await candidate('first');
    await leads(first);
    const second = await candidate('second');
    first.finish();
    await leads(second);
    expect(await first.ended).to.equal('ended');
    expect(await held()).to.equal('second');
  });

  it('never has two leaders at once under network faults', async () => {
    const all = [await candidate('a'), await candidate('b')];
    for (let round = 0; round < 4; round++) {
      await eventually(() => {
        // The lease of the last leader must expire first.
        if (!all.some(({ leads: is }) => is)) clock.skip(TIMES.durationMs / 10);
        expect(all.some(({ leads: is }) => is)).to.equal(true);
      });
      const leader = all.find(({ leads: is }) => is);
      if (leader === undefined) continue;
      const fault = round % 2 === 0 ? ({ kind: 'hang' } as const) : ({ kind: 'loseAnswer' } as const);
      let faults = 0;
      leader.proxy.when(({ method }) => (method === 'PUT' || fault.kind === 'hang') && ++faults > 0, fault);
      await eventually(() => {
        expect(faults).to.be.above(0);
      });
      clock.skip(TIMES.renewDeadlineMs);
      await eventually(() => {
        expect(leader.leads).to.equal(false);
      });
      leader.proxy.heal();
    }
    expect(overlaps).to.equal(0);
  });

  it('ends the term of a leader that cannot renew, and lets it lead again if no other process took over', async () => {
    const only = await candidate('only');
    await leads(only);
    await only.proxy.down();
    clock.skip(TIMES.renewDeadlineMs);
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
    const key = { namespace: cluster().namespace, name: 'lease' };
    await cluster().direct.patch(leases, key, { spec: { holderIdentity: 'usurper' } });
    expect(await first.ended).to.be.instanceOf(LeaseLostError);
    expect(first.leads).to.equal(false);
    expect(await held()).to.equal('usurper');
  });

  it('survives an annotation and a deletion of the lease', async () => {
    const first = await candidate('first');
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

  it('detects the end of leadership in a suspended process before any timer has run', async () => {
    const first = await candidate('first');
    await leads(first);
    expect(first.lease.leading).to.equal(true);
    clock.skip(TIMES.renewDeadlineMs);
    expect(first.lease.leading).to.equal(false);
  });

  it('writes timestamps in the format of the API server', () => {
    expect(microTime(new Date(Date.UTC(2026, 1, 3, 4, 5, 6, 7)))).to.equal('2026-02-03T04:05:06.007000Z');
  });
});
