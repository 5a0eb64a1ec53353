import type { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { withControlPlane } from '../../../hack/harness/controlplane.ts';
import { ObjectCache } from './cache.ts';
import { RestClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import { eventually } from '../testing/eventually.ts';
import { FaultProxy } from '../testing/faultProxy.ts';
import { SkippingClock } from '../testing/skippingClock.ts';
import { TestClock } from '../testing/testClock.ts';
import {
  fastReflectorOptions,
  installWidgets,
  transportOptions,
  silentLog,
  widget,
  widgets,
  type Widget,
} from '../testing/widgets.ts';
import { Transport } from '../client/transport.ts';

/** Watch events in the format of the API server. */
const EXPIRED = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Expired',
  code: 410,
  message: 'too old',
};

describe('the reflector, between a real API server and a faulty network', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  /** Goes directly to the API server, as other clients do. */
  let direct: RestClient;
  let directTransport: Transport;
  let kubeConfig: KubeConfig;
  let namespace: string;
  let proxy: FaultProxy;
  let transport: Transport;
  let clock: SkippingClock;
  let cache: ObjectCache<Widget>;
  let metrics: RuntimeMetrics;
  let stop: AbortController;
  let running: Promise<void>[];
  const events: string[] = [];

  before(async () => {
    kubeConfig = cluster().kubeConfig();
    directTransport = new Transport(kubeConfig, transportOptions());
    direct = new RestClient(directTransport);
    await installWidgets(direct);
  });
  after(() => directTransport.close());

  beforeEach(async () => {
    namespace = await cluster().createNamespace();
    proxy = await FaultProxy.start(kubeConfig);
    clock = new SkippingClock();
    cache = new ObjectCache<Widget>();
    metrics = new RuntimeMetrics();
    stop = new AbortController();
    running = [];
    events.length = 0;
    cache.subscribe((change) => {
      events.push(`${change.type} ${(change.type === 'deleted' ? change.before : change.after).metadata.name}`);
    });
    transport = new Transport(proxy.kubeConfig(), { ...transportOptions(), clock, metrics });
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
    await transport.close();
    await proxy.stop();
  });

  function start(options: Partial<ReflectorOptions> = {}, its: Clock = clock): Reflector<Widget> {
    const reflector = new Reflector<Widget>({
      client: new RestClient(transport),
      kind: widgets,
      namespace,
      cache,
      clock: its,
      log: silentLog,
      metrics,
      options: { ...fastReflectorOptions, ...options },
    });
    running.push(reflector.run(stop.signal));
    return reflector;
  }

  const create = (name: string, size = 1): Promise<Widget> => direct.create(widgets, widget(namespace, name, size));
  const resize = (name: string, size: number): Promise<Widget> =>
    direct.patch(widgets, { namespace, name }, { spec: { size } });
  const remove = (name: string): Promise<void> => direct.delete(widgets, { namespace, name });

  /** Waits until the cache equals the state of the API server. @param skipMs time to skip before each look */
  async function converged(skipMs = 0): Promise<void> {
    await eventually(async () => {
      clock.skip(skipMs);
      const there = await direct.list(widgets, { namespace });
      const versions = (objects: readonly Widget[]): string[] =>
        objects.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort();
      expect(versions(cache.list())).to.deep.equal(versions(there));
      expect(cache.synced).to.equal(true);
    });
  }
  const watching = (): Promise<void> =>
    eventually(() => {
      expect(proxy.openWatches).to.equal(1);
    });
  /** Waits until the reflector waits for its next attempt. */
  const pausing = (): Promise<void> =>
    eventually(() => {
      expect(clock.pending).to.be.above(0);
    });
  const lists = (): number =>
    proxy.requests.filter(
      ({ isWatch, path, query }) => !isWatch && path.endsWith('/widgets') && query.get('limit') !== '1',
    ).length;

  /** Starts the reflector and waits until it watches, with one object. */
  async function watchingOne(options?: Partial<ReflectorOptions>): Promise<void> {
    await create('before');
    start(options);
    await converged();
    await watching();
  }

  it('lists page by page, then watches, and drops managed fields', async () => {
    for (let at = 0; at < 25; at++) await create(`w-${at}`);
    start({ pageSize: 2 });
    await converged();
    expect(lists()).to.equal(13);
    await create('later');
    await resize('w-3', 7);
    await remove('w-4');
    await converged();
    expect(lists(), 'no second list').to.equal(13);
    const held = cache.get({ namespace, name: 'w-3' });
    expect(held?.metadata).to.not.have.property('managedFields');
    expect(held).to.include({ kind: 'Widget', apiVersion: 'test.guardrail.dev/v1' });
  });

  const interruptions = [
    ['closed cleanly', 'close'],
    ['reset', 'reset'],
    ['half open', 'freeze'],
  ] as const;
  for (const [name, fault] of interruptions) {
    it(`resumes after a watch was ${name}`, async () => {
      await watchingOne();
      proxy.toWatches(fault);
      await create('during');
      await remove('before');
      await converged();
      expect(lists()).to.equal(1);
      expect(events).to.have.members(['added before', 'added during', 'deleted before']);
    });
  }

  it('lists again after 410 in the stream, and detects deleted and recreated objects', async () => {
    await create('recreated');
    await watchingOne();
    proxy.when(({ isWatch }) => isWatch, { kind: 'answer', status: 500 });
    proxy.toWatches({ line: JSON.stringify({ type: 'ERROR', object: EXPIRED }) });
    await remove('before');
    await remove('recreated');
    await create('recreated', 2);
    proxy.heal();
    await converged();
    expect(lists()).to.be.above(1);
    expect(events.slice(2)).to.have.members(['deleted before', 'deleted recreated', 'added recreated']);
  });

  it('lists again after 410 on connect', async () => {
    await watchingOne();
    proxy.when(({ isWatch }) => isWatch, { kind: 'answer', status: 410, body: EXPIRED }, 3);
    proxy.toWatches('close');
    await create('during');
    await converged();
    expect(lists()).to.be.within(2, 5);
  });

  it('reads the list in one request when its pages expire', async () => {
    for (let at = 0; at < 5; at++) await create(`w-${at}`);
    proxy.when(({ query }) => query.has('continue'), { kind: 'answer', status: 410, body: EXPIRED });
    start({ pageSize: 2 });
    await converged();
  });

  const malformedLines: [string, string, boolean][] = [
    ['is not JSON', '{"type":"MODI', true],
    ['lacks the metadata', '{"type":"ADDED","object":{"kind":"Widget"}}', true],
    [
      'has an unknown type',
      '{"type":"RENAMED","object":{"metadata":{"name":"x","uid":"x","resourceVersion":"1"}}}',
      true,
    ],
    [
      'is an ERROR event without 410',
      '{"type":"ERROR","object":{"kind":"Status","code":500,"message":"internal"}}',
      false,
    ],
    ['is empty', '', false],
  ];
  for (const [name, line, relists] of malformedLines) {
    it(`survives a line that ${name}`, async () => {
      await watchingOne();
      proxy.toWatches({ line });
      await create('after');
      await resize('before', 9);
      await converged();
      expect(lists() > 1).to.equal(relists);
    });
  }

  it('resumes from the last bookmark', async () => {
    await watchingOne();
    const other = await direct.create(widgets, widget(await cluster().createNamespace()));
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: other.metadata.resourceVersion } } };
    proxy.toWatches({ line: JSON.stringify(bookmark) });
    proxy.toWatches('close');
    await eventually(() => {
      const last = proxy.requests.filter(({ isWatch }) => isWatch).at(-1);
      expect(last?.query.get('resourceVersion')).to.equal(other.metadata.resourceVersion);
      expect(last?.query.get('allowWatchBookmarks')).to.equal('true');
    });
  });

  it('neither lists nor reconnects early when a watch is quiet', async () => {
    await watchingOne({ silentMs: 30_000 });
    const before = proxy.requests.length;
    await create('later');
    await converged();
    expect(proxy.requests.length).to.equal(before);
  });

  it('waits between watches that end at once', async () => {
    const still = new TestClock();
    await create('before');
    proxy.when(({ isWatch }) => isWatch, { kind: 'answer', status: 200, body: '' });
    start({ backoffMs: [200, 400] }, still);
    for (let watches = 1; watches <= 3; watches++) {
      await eventually(() => {
        expect(still.pending).to.equal(1);
      });
      expect(proxy.requests.filter(({ isWatch }) => isWatch)).to.have.length(watches);
      await still.advance(400);
    }
  });

  const answers = [
    ['500', { kind: 'answer', status: 500 }],
    ['503 of a load balancer', { kind: 'answer', status: 503, body: '<html>no</html>' }],
    ['403', { kind: 'answer', status: 403, body: { kind: 'Status', message: 'forbidden', reason: 'Forbidden' } }],
    ['a reset', { kind: 'reset' }],
    ['half a list', { kind: 'answer', status: 200, body: '{"kind":"WidgetList","items":[' }],
    ['JSON that is not a list', { kind: 'answer', status: 200, body: '[]' }],
    ['429 with Retry-After', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }],
  ] as const;
  for (const [name, fault] of answers) {
    it(`eventually lists after the API server has responded with ${name}`, async () => {
      await create('before');
      proxy.when(() => true, fault, 4);
      start();
      await converged(100);
    });
  }

  it('respects Retry-After when listing and when watching', async () => {
    const busy = { kind: 'answer', status: 429, headers: { 'retry-after': '1' } } as const;
    proxy.when(({ isWatch }) => !isWatch, busy, 1);
    proxy.when(({ isWatch }) => isWatch, busy, 1);
    const still = new TestClock();
    await transport.close();
    transport = new Transport(proxy.kubeConfig(), { ...transportOptions(), clock: still });
    start({}, still);
    for (const isWatch of [false, true]) {
      await eventually(() => {
        expect(proxy.requests.filter((request) => request.isWatch === isWatch)).to.have.length(1);
        expect(still.pending).to.equal(1);
      });
      await still.advance(999);
      expect(still.pending).to.equal(1);
      // A wait has some jitter.
      await still.advance(101);
    }
    await converged();
    await watching();
  });

  it('waits for a slow list', async () => {
    await create('before');
    proxy.when(({ isWatch }) => !isWatch, { kind: 'delay', ms: 300 });
    start({ silentMs: 100 });
    await converged();
    expect(lists()).to.equal(1);
  });

  it('waits for an unreachable API server, at start and later, and misses no change', async () => {
    await create('before');
    await proxy.down();
    start();
    await pausing();
    expect(cache.synced).to.equal(false);
    await proxy.up();
    await converged();
    await watching();
    await proxy.down();
    await remove('before');
    await create('during');
    await pausing();
    await proxy.up();
    await converged();
  });

  it('ends its backoff on retryNow', async () => {
    proxy.when(() => true, { kind: 'answer', status: 404 }, 1);
    const reflector = start({ backoffMs: [60_000, 60_000] });
    await eventually(() => {
      expect(proxy.requests).to.have.length(1);
    });
    // The backoff begins after the response is read.
    await eventually(() => {
      reflector.retryNow();
      expect(cache.synced).to.equal(true);
    });
  });

  it('has the state of the API server after many faults in a row', async function () {
    this.timeout(60_000);
    start({ silentMs: 600 });
    const faults = [
      'close',
      'reset',
      'freeze',
      { line: '{' },
      { line: JSON.stringify({ type: 'ERROR', object: EXPIRED }) },
    ] as const;
    for (let round = 0; round < 40; round++) {
      const name = `w-${round % 7}`;
      const fault = faults[round % faults.length];
      await (round % 3 === 0 ? remove(name) : direct.apply(widgets, widget(namespace, name, round)));
      if (fault !== undefined) proxy.toWatches(fault);
      if (round % 10 === 5) {
        await proxy.down();
        await remove(`w-${(round + 1) % 7}`);
        await proxy.up();
      }
    }
    await converged();
  });
});
