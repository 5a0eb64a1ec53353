import { expect } from 'chai';
import type { EventDetails } from '../contract.ts';
import { BackgroundEventRecorder, kubeEvents, type KubeEvent } from './eventRecorder.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { TestClock } from '../testing/testClock.ts';
import { silentLog, widget, widgets, type Widget } from '../testing/widgets.ts';

const synced: EventDetails = { type: 'Normal', reason: 'Synced', message: 'The widget is up to date.' };

describe('the event recorder', () => {
  const cluster = withTestCluster();
  let clock: TestClock;
  let recorder: BackgroundEventRecorder;
  let object: Widget;

  beforeEach(async () => {
    clock = new TestClock();
    recorder = new BackgroundEventRecorder({
      client: cluster().client,
      clock,
      log: silentLog,
      metrics: new RuntimeMetrics(),
      controller: 'test.guardrail.dev/operator',
      instance: 'me',
    });
    object = await cluster().direct.create(widgets, widget(cluster().namespace));
  });

  const there = (): Promise<KubeEvent[]> => cluster().direct.list(kubeEvents, { namespace: cluster().namespace });

  it('records events that kubectl describe shows', async () => {
    recorder.record(object, synced);
    await recorder.idle();
    const text = await cluster().plane.kubectl(['describe', 'widget', object.metadata.name, '-n', cluster().namespace]);
    expect(text).to.match(/Normal\s+Synced\s+.*test\.guardrail\.dev\/operator\s+The widget is up to date\./);
  });

  it('counts a repeated event at a limited rate', async () => {
    for (let at = 0; at < 500; at++) {
      recorder.record(object, synced);
      await recorder.idle();
      await clock.advance(1_000);
    }
    const events = await there();
    expect(events).to.have.length(1);
    expect(events[0]?.series?.count).to.equal(301);
    expect(cluster().proxy.requests.length).to.equal(2);
  });

  /** The reasons that kubectl describe shows, oldest first. */
  const described = async (): Promise<string[]> => {
    const { namespace, plane } = cluster();
    const text = await plane.kubectl(['describe', 'widget', object.metadata.name, '-n', namespace]);
    return text.split('\n').flatMap((line) => /(?:Normal|Warning)\s+(\w+)/.exec(line)?.[1] ?? []);
  };
  const failed: EventDetails = { type: 'Warning', reason: 'Failed', message: 'The gateway is unreachable.' };

  it('shows the current state last after many changes', async () => {
    const expected: EventDetails[] = [];
    for (let at = 0; at < 8; at++) {
      for (const event of [synced, failed, synced]) {
        if (expected.at(-1) !== event) expected.push(event);
        recorder.record(object, event);
        recorder.record(object, event);
        await clock.advance(2_000);
      }
    }
    await recorder.idle();
    expect(await described()).to.deep.equal(expected.map(({ reason }) => reason));
    expect(expected.at(-1)).to.equal(synced);
  });

  it('records a new event after an hour without it, and after its deletion', async () => {
    recorder.record(object, synced);
    await recorder.idle();
    await clock.advance(3_600_001);
    recorder.record(object, synced);
    await recorder.idle();
    expect(await there()).to.have.length(2);
    for (const { metadata } of await there()) {
      await cluster().direct.delete(kubeEvents, { namespace: cluster().namespace, name: metadata.name });
    }
    await clock.advance(301_000);
    recorder.record(object, synced);
    await recorder.idle();
    recorder.record(object, synced);
    await recorder.idle();
    expect(await there()).to.have.length(1);
  });

  it('limits the events of one object', async () => {
    for (let at = 0; at < 100; at++) recorder.record(object, { ...synced, message: `Number ${at}.` });
    await recorder.idle();
    expect(await there()).to.have.length(25);
  });

  it('truncates a long message without breaking a character', async () => {
    recorder.record(object, { ...synced, message: 'é'.repeat(1_000) });
    await recorder.idle();
    const [event] = await there();
    expect(event?.note).to.match(/^é+…$/);
  });

  it('retries after a failure of the API server', async () => {
    cluster().proxy.when(({ method }) => method === 'POST', { kind: 'answer', status: 500 }, 1);
    recorder.record(object, synced);
    await clock.advance(10_000);
    recorder.record(object, { ...synced, message: 'Another.' });
    await eventually(async () => {
      await clock.advance(1_000);
      expect(await there()).to.have.length(2);
    });
    await recorder.idle();
  });

  it('drops a forbidden event without an error, and continues', async () => {
    cluster().proxy.when(({ method }) => method === 'POST', { kind: 'answer', status: 403 }, 1);
    recorder.record(object, synced);
    await recorder.idle();
    recorder.record(object, { ...synced, message: 'Another.' });
    await recorder.idle();
    expect((await there()).map(({ note }) => note)).to.deep.equal(['Another.']);
  });

  it('sends all events at its stop', async () => {
    recorder.record(object, synced);
    recorder.record(object, failed);
    await recorder.stop(5_000);
    expect(await described()).to.deep.equal(['Synced', 'Failed']);
  });
});
