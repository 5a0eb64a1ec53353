import operatorFramework, { type ResourceEvent } from '@dot-i/k8s-operator';
import { expect } from 'chai';
import { atScale } from '../../../hack/harness/scale.ts';
import { startControlPlane } from '../../../hack/harness/controlplane.ts';
import { RestClient } from '../client/client.ts';
import type { Runtime } from '../contract.ts';
import { leases } from './lease.ts';
import type { Manager, ManagerOptions } from './manager.ts';
import { isNotFound } from '../client/errors.ts';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { keyText, ownerReference, resource } from '../objects.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { fastClock } from '../testing/fastClock.ts';
import { FaultProxy } from '../testing/faultProxy.ts';
import { SkippingClock } from '../testing/skippingClock.ts';
import { WidgetOperator } from '../testing/widgetOperator.ts';
import {
  fastReflectorOptions,
  installWidgets,
  transportOptions,
  widget,
  widgets,
  type Widget,
} from '../testing/widgets.ts';
import { Transport } from '../client/transport.ts';
import { when, type ControllerSpec } from '../controller/controllerSpec.ts';

const FINALIZER = 'test.guardrail.dev/outside';
/** The methods of the writes of finalizers and statuses. */
const WRITES = ['PATCH', 'PUT'];
/** So long that they end only when the test skips time. Only the retries are short. */
const LEASE_TIMES = { durationMs: 60_000, renewDeadlineMs: 40_000, retryMs: 50 };
/** The number of objects of a large cluster. */
const MANY = atScale(100, 1_000);
const configMaps = resource<KubeObject>({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' });

/** An external system that the operator keeps in sync with the widgets. */
class ExternalSystem {
  readonly sizes = new Map<string, number>();
  /** Number of reconciles by key. */
  readonly reconciles = new Map<string, number>();
  /** Number of external writes. */
  externalWrites = 0;
  /** Runs in a reconcile before its external write. */
  before: (key: ObjectKey, signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** Runs in a reconcile after its external write. */
  between: (key: ObjectKey, signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  get totalReconciles(): number {
    return [...this.reconciles.values()].reduce((sum, count) => sum + count, 0);
  }

  /** A complete reconcile: finalizer, external write, status. */
  controller(runtime: Runtime, kind = widgets): ControllerSpec {
    const cache = runtime.cache(kind);
    const status = runtime.status(kind);
    const finalizer = runtime.finalizer(kind, FINALIZER);
    return when(kind).reconcile(async (key, { signal }) => {
      this.reconciles.set(keyText(key), (this.reconciles.get(keyText(key)) ?? 0) + 1);
      const found = cache.get(key);
      for (const lost of finalizer.lostObjects(key)) {
        this.sizes.delete(lost.metadata.uid);
        finalizer.markCleanedUp(lost);
      }
      if (found === undefined) return {};
      if (found.metadata.deletionTimestamp !== undefined) {
        this.sizes.delete(found.metadata.uid);
        await this.between(key, signal);
        await finalizer.remove(found);
        return {};
      }
      const object = await finalizer.add(found);
      if (!finalizer.isSet(object)) return {};
      await this.before(key, signal);
      finalizer.beforeExternalWrite(object);
      this.sizes.set(object.metadata.uid, object.spec?.size ?? 0);
      this.externalWrites += 1;
      await this.between(key, signal);
      await status.write(object, { size: object.spec?.size ?? 0, observedGeneration: object.metadata.generation });
      return { requeueAfter: 300_000 };
    });
  }
}

describe('the manager, between a real API server and a faulty network', function () {
  this.timeout(120_000);
  const cluster = withTestCluster();
  let external: ExternalSystem;
  const running: Manager[] = [];
  const closing: (() => Promise<void>)[] = [];

  beforeEach(() => {
    external = new ExternalSystem();
  });
  afterEach(async () => {
    for (const operator of running) operator.stop();
    await Promise.all(running.splice(0).map((operator) => operator.finished().catch(() => undefined)));
    for (const close of closing.splice(0)) await close();
  });

  async function start(
    options: Partial<ManagerOptions> = {},
    wire: (runtime: Runtime) => ControllerSpec[] = (runtime) => [external.controller(runtime)],
    proxy: FaultProxy = cluster().proxy,
  ): Promise<WidgetOperator> {
    const operator = new WidgetOperator(proxy.kubeConfig(), wire, { namespace: cluster().namespace, ...options });
    running.push(operator);
    await operator.start();
    return operator;
  }

  const create = (name?: string, size = 1): Promise<Widget> =>
    cluster().direct.create(widgets, widget(cluster().namespace, name, size));
  const key = (name: string): ObjectKey => ({ namespace: cluster().namespace, name });
  const writes = (proxy = cluster().proxy): string[] =>
    proxy.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/leases')).map(({ path }) => path);

  /** Asserts that the external system and each status equal the widgets' specs. */
  async function converged(withinMs = 60_000, from: RestClient = cluster().direct): Promise<void> {
    await eventually(async () => {
      const all = await from.list(widgets, { namespace: cluster().namespace });
      expect(all.map(({ status }) => status?.size)).to.deep.equal(all.map(({ spec }) => spec?.size));
      expect([...external.sizes].sort()).to.deep.equal(
        all.map(({ metadata, spec }) => [metadata.uid, spec?.size]).sort(),
      );
    }, withinMs);
  }

  it('needs two writes per resource, and no further requests', async () => {
    for (let at = 0; at < 50; at++) await create();
    await start();
    await converged();
    expect(writes()).to.have.length(100);
    expect(external.totalReconciles).to.equal(50);
    // The events of the own writes are processed before that of a later object.
    await create();
    await converged();
    expect(writes(), 'no writes at rest').to.have.length(102);
    expect(external.totalReconciles, 'no reconcile of own writes').to.equal(51);
  });

  it('reconciles many objects while one always fails', async function () {
    this.timeout(300_000);
    external.between = (at) => (at.name === 'bad' ? Promise.reject(new Error('bad')) : Promise.resolve());
    const names = Array.from({ length: MANY }, (_, at) => `good-${at}`);
    await create('bad');
    for (let at = 0; at < names.length; at += 20)
      await Promise.all(names.slice(at, at + 20).map((name) => create(name)));
    await start();
    await eventually(async () => {
      const all = await cluster().direct.list(widgets, { namespace: cluster().namespace });
      expect(all.filter(({ status }) => status === undefined).map(({ metadata }) => metadata.name)).to.deep.equal([
        'bad',
      ]);
    }, 200_000);
    const badKey = keyText(key('bad'));
    await eventually(() => {
      expect(external.reconciles.get(badKey)).to.be.above(1);
    });
    expect(Math.max(...[...external.reconciles].filter(([at]) => at !== badKey).map(([, count]) => count))).to.equal(1);
  });

  it('finalizes objects that were deleted while it was down, and treats a recreated object as a new one', async () => {
    const first = await create('a');
    const operator = await start();
    await converged();
    operator.stop();
    await operator.finished();
    await cluster().direct.delete(widgets, key('a'));
    await start();
    await eventually(async () => {
      const error: unknown = await cluster()
        .direct.get(widgets, key('a'))
        .catch((reason: unknown) => reason);
      expect(isNotFound(error)).to.equal(true);
    });
    expect(external.sizes.has(first.metadata.uid)).to.equal(false);
    await create('a', 2);
    await converged();
  });

  it('leaves no external state of an object that is deleted while its finalizer is written', async () => {
    const names = Array.from({ length: MANY / 2 }, (_, at) => `a${at}`);
    // In a finalizer race, the API server accepts the write of the finalizer and still deletes the object.
    const deleted = new Map<string, Promise<void>>();
    cluster().proxy.when(
      ({ method, path }) => {
        const name = path.split('/').at(-1) ?? '';
        if (method === 'PATCH' && names.includes(name) && !deleted.has(name)) {
          deleted.set(name, cluster().direct.delete(widgets, key(name)));
        }
        return false;
      },
      { kind: 'reset' },
    );
    await start();
    await Promise.all(names.map((name) => create(name)));
    await eventually(() => {
      expect(deleted.size).to.equal(names.length);
    }, 60_000);
    await Promise.all(deleted.values());
    await converged();
    // An object can be gone before the reconcile that lost the race has cleaned up.
    await eventually(() => {
      expect(external.sizes.size).to.equal(0);
    });
  });

  for (const [what, when, begun] of [
    ['starts no external write', 'before', 0],
    ['cleans up its external write', 'between', 1],
  ] as const) {
    it(`${what} after a finalizer race`, async () => {
      let there: () => Widget | undefined = () => undefined;
      external[when] = async () => {
        external[when] = () => Promise.resolve();
        await cluster().direct.delete(widgets, key('a'));
        await cluster().direct.patch(widgets, key('a'), { metadata: { finalizers: null } });
        await eventually(() => {
          expect(there()).to.equal(undefined);
        });
      };
      await start({}, (runtime) => {
        const cache = runtime.cache(widgets);
        there = () => cache.get(key('a'));
        return [external.controller(runtime)];
      });
      await create('a');
      await eventually(() => {
        expect(external.reconciles.get(keyText(key('a')))).to.be.greaterThan(1);
      });
      await converged();
      expect(external.externalWrites).to.equal(begun);
      await create('a', 2);
      await converged();
    });
  }

  it('keeps the finalizer until the cleanup succeeds', async () => {
    await create('a');
    await start();
    await converged();
    let failures = 0;
    external.between = () =>
      ++failures <= 4 ? Promise.reject(new Error('the external system is unavailable')) : Promise.resolve();
    await cluster().direct.delete(widgets, key('a'));
    await eventually(() => {
      expect(failures).to.be.above(2);
    });
    expect((await cluster().direct.get(widgets, key('a'))).metadata.finalizers).to.deep.equal([FINALIZER]);
    await eventually(async () => {
      expect(await cluster().direct.list(widgets, { namespace: cluster().namespace })).to.deep.equal([]);
    });
  });

  const faults: [string, (proxy: FaultProxy) => void][] = [
    ['half of all writes conflict', flaky(WRITES, 409)],
    ['half of all requests fail with 500', flaky(undefined, 500)],
    ['half of all requests are reset', flaky(undefined, 'reset')],
    ['half of all responses are lost', flaky(WRITES, 'loseAnswer')],
    [
      'the API server is overloaded',
      (proxy) => {
        proxy.when(
          ({ method }) => WRITES.includes(method),
          { kind: 'answer', status: 429, headers: { 'retry-after': '1' } },
          20,
        );
      },
    ],
  ];
  for (const [name, fault] of faults) {
    it(`converges although ${name}`, async function () {
      this.timeout(60_000);
      for (let at = 0; at < 10; at++) await create(`w-${at}`);
      fault(cluster().proxy);
      // The waits before retries are not what is tested.
      await start({ clock: fastClock(10) });
      await eventually(() => {
        expect(external.totalReconciles).to.be.above(0);
      });
      for (let at = 0; at < 5; at++) {
        await cluster().direct.patch(widgets, key(`w-${at}`), { spec: { size: at + 10 } });
        await cluster().direct.delete(widgets, key(`w-${at + 5}`));
      }
      await converged();
    });
  }

  it('waits for an unreachable API server at the start, and is alive but not ready', async () => {
    await create();
    await cluster().proxy.down();
    const operator = await start({ http: { host: '127.0.0.1', port: 0, metricsPort: 0 } });
    const probe = async (path: string, port = operator.httpPort): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port ?? 0}${path}`);
      return [response.status, await response.text()];
    };
    expect((await probe('/healthz'))[0]).to.equal(200);
    expect(await probe('/readyz')).to.satisfy(
      ([status, text]: [number, string]) => status === 503 && text.includes('no response from'),
    );
    await cluster().proxy.up();
    await converged();
    await eventually(async () => {
      expect(await probe('/readyz')).to.deep.equal([200, '[+]stopping ok\n[+]cluster ok\n[+]crds ok\n[+]caches ok\n']);
    });
    const [, text] = await probe('/metrics', operator.metricsPort);
    for (const metric of [
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 1',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 16',
      'workqueue_depth{name="widget",controller="widget",priority="1"} 0',
      'rest_client_requests_total{code="200",method="PATCH"',
    ]) {
      expect(text).to.include(metric);
    }
    for (const path of ['/nothing', '/metrics']) expect((await probe(path))[0], path).to.equal(404);
    for (const path of ['/', '/healthz', '/readyz']) {
      expect((await probe(path, operator.metricsPort))[0], path).to.equal(404);
    }
  });

  it('survives a restart of its API server, and misses no change', async function () {
    this.timeout(120_000);
    const plane = await startControlPlane();
    const transport = new Transport(plane.kubeConfig(), transportOptions());
    closing.push(async () => {
      await transport.close();
      await plane.stop();
    });
    const direct = new RestClient(transport);
    await installWidgets(direct);
    const { namespace } = cluster();
    await plane.kubectl(['create', 'namespace', namespace]);
    await direct.create(widgets, widget(namespace, 'before'));
    const clock = new SkippingClock();
    let isLeading = (): boolean => false;
    const wire = (runtime: Runtime): ControllerSpec[] => {
      ({ isLeading } = runtime);
      return [external.controller(runtime)];
    };
    const operator = new WidgetOperator(plane.kubeConfig(), wire, {
      ...{ namespace, clock },
      leaseName: 'lease',
      leaseTimes: LEASE_TIMES,
    });
    running.push(operator);
    await operator.start();
    await converged(60_000, direct);
    await plane.kill();
    // Longer than the lease: leadership ends, the process does not.
    clock.skip(LEASE_TIMES.durationMs);
    expect(isLeading()).to.equal(false);
    await plane.restart();
    await direct.create(widgets, widget(namespace, 'after'));
    await direct.patch(widgets, { namespace, name: 'before' }, { spec: { size: 5 } });
    await converged(60_000, direct);
  });

  describe('with a lease', () => {
    let clock: SkippingClock;
    let leased: Pick<ManagerOptions, 'clock' | 'leaseName' | 'leaseTimes'>;
    beforeEach(() => {
      clock = new SkippingClock();
      leased = { clock, leaseName: 'lease', leaseTimes: LEASE_TIMES };
    });

    it('stands by while another process leads, and takes over when that process has ended', async () => {
      const first = await FaultProxy.start(cluster().kubeConfig);
      const second = await FaultProxy.start(cluster().kubeConfig);
      closing.push(
        () => first.stop(),
        () => second.stop(),
      );
      const runtimes: Runtime[] = [];
      const wire = (runtime: Runtime): ControllerSpec[] => {
        runtimes.push(runtime);
        return [external.controller(runtime)];
      };
      const leading = (): boolean[] => runtimes.map(({ isLeading }) => isLeading());
      await create('a');
      await start(leased, wire, first);
      await converged();
      await start(leased, wire, second);
      await create('b');
      await converged();
      expect(writes(second)).to.deep.equal([]);
      expect(leading()).to.deep.equal([true, false]);
      await first.down();
      const polls = (): number => second.requests.filter(({ path }) => path.includes('/leases')).length;
      const before = polls();
      await eventually(() => {
        expect(polls(), 'the second process has seen the last renewal').to.be.above(before + 1);
      });
      clock.skip(LEASE_TIMES.durationMs);
      await create('c');
      await converged();
      expect(writes(second).length).to.be.above(0);
      expect(leading()).to.deep.equal([false, true]);
    });

    for (const [moment, begun] of [
      ['before', 0],
      ['between', 1],
    ] as const) {
      const where = moment === 'before' ? 'before the external write' : 'after it';
      it(`stops writing when it loses leadership during a reconcile, ${where}`, async () => {
        await create('a');
        const { promise: entered, resolve: enter } = Promise.withResolvers<AbortSignal>();
        const { promise: resume, resolve } = Promise.withResolvers<undefined>();
        external[moment] = async (_key, signal) => {
          enter(signal);
          await resume;
        };
        const operator = await start(leased);
        const signal = await entered;
        const ended = operator.finished().then(
          () => 'ended',
          (error: unknown) => (error as Error).name,
        );
        await cluster().direct.patch(leases, key('lease'), { spec: { holderIdentity: 'another' } });
        await eventually(() => {
          expect(signal.aborted).to.equal(true);
        });
        const before = writes();
        resolve(undefined);
        expect(await ended).to.equal('LeaseLostError');
        expect(writes(), 'no status was written').to.deep.equal(before);
        expect(external.externalWrites).to.equal(begun);
      });
    }

    it('drains running reconciles on stop, starts no new ones, and releases the lease', async () => {
      await create('a');
      const { promise: resume, resolve } = Promise.withResolvers<undefined>();
      let entered = false;
      let aborted: boolean | undefined;
      external.between = async (_key, signal) => {
        entered = true;
        await resume;
        aborted = signal.aborted;
      };
      const operator = await start({ ...leased, controllers: { workers: 1 }, drainMs: 10 * LEASE_TIMES.durationMs });
      await eventually(() => {
        expect(entered).to.equal(true);
      });
      await create('b');
      operator.stop();
      // The drain takes longer than the lease, which is renewed in the meantime.
      // A quarter at a time leaves a renewal on a busy machine real time before the renew deadline.
      for (let skipped = 0; skipped <= LEASE_TIMES.durationMs; skipped += LEASE_TIMES.durationMs / 4) {
        const { metadata } = await cluster().direct.get(leases, key('lease'));
        clock.skip(LEASE_TIMES.durationMs / 4);
        await eventually(async () => {
          const { metadata: now } = await cluster().direct.get(leases, key('lease'));
          expect(now.resourceVersion).to.not.equal(metadata.resourceVersion);
        });
      }
      resolve(undefined);
      await operator.finished();
      expect(aborted).to.equal(false);
      expect((await cluster().direct.get(widgets, key('a'))).status).to.deep.include({ size: 1 });
      expect((await cluster().direct.get(widgets, key('b'))).status).to.equal(undefined);
      const lease = await cluster().plane.kubectl([
        'get',
        'lease',
        'lease',
        '-n',
        cluster().namespace,
        '-o',
        'jsonpath={.spec.holderIdentity}',
      ]);
      expect(lease).to.equal('');
    });

    it('aborts reconciles that exceed the drain time', async () => {
      await create('a');
      let aborted = false;
      external.between = (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('given up'));
          });
        });
      const operator = await start({ ...leased, drainMs: 300 });
      await eventually(() => {
        expect(external.totalReconciles).to.equal(1);
      });
      operator.stop();
      await operator.finished();
      expect(aborted).to.equal(true);
    });
  });

  it('reconciles the owner when an owned object is changed or deleted', async () => {
    const owner = await create('a');
    const kept = configMaps;
    await start({}, (runtime) => {
      const cache = runtime.cache(widgets);
      return [
        when(widgets)
          .owns(kept)
          .reconcile(async (at) => {
            const object = cache.get(at);
            if (object === undefined) return {};
            await runtime.client.apply(kept, {
              metadata: { ...key('child'), ownerReferences: [ownerReference(object)] },
              data: { size: String(object.spec?.size) },
            } as object);
            return {};
          }),
      ];
    });
    const child = (): Promise<KubeObject & { data?: unknown }> => cluster().direct.get(kept, key('child'));
    await eventually(async () => {
      expect((await child()).metadata.ownerReferences?.[0]?.uid).to.equal(owner.metadata.uid);
    });
    await cluster().direct.delete(kept, key('child'));
    await eventually(child);
    await cluster().direct.patch(kept, key('child'), { data: { size: 'wrong' } });
    await eventually(async () => {
      expect((await child()).data).to.deep.equal({ size: '1' });
    });
  });

  it('serves the callbacks of the operator framework', async () => {
    const seen: string[] = [];
    class Framework extends WidgetOperator {
      protected override async init(): Promise<void> {
        await this.watchResource(
          'test.guardrail.dev',
          'v1',
          'widgets',
          (event) => this.#onEvent(event),
          cluster().namespace,
        );
        expect(this.getCustomResourceApiUri('g', 'v1', 'things', 'ns')).to.equal(
          `${cluster().proxy.url}/apis/g/v1/namespaces/ns/things`,
        );
      }

      async #onEvent(event: ResourceEvent): Promise<void> {
        seen.push(`${event.type} ${event.meta.name}`);
        if (await this.handleResourceFinalizer(event, FINALIZER, () => Promise.resolve(void seen.push('cleaned up'))))
          return;
        if (event.type === operatorFramework.ResourceEventType.Deleted) return;
        const { size } = (event.object as unknown as Widget).spec ?? {};
        if ((event.object as unknown as Widget).status?.size === size) return;
        const meta = await this.patchResourceStatus(event.meta, { size });
        await this.setResourceStatus(meta, { size, done: true });
      }
    }
    const operator = new Framework(cluster().proxy.kubeConfig(), () => [], { namespace: cluster().namespace });
    running.push(operator);
    await operator.start();
    await create('a', 4);
    await eventually(async () => {
      const { status, metadata } = await cluster().direct.get(widgets, key('a'));
      expect(status).to.deep.equal({ size: 4, done: true });
      expect(metadata.finalizers).to.deep.equal([FINALIZER]);
    });
    cluster().proxy.toWatches('reset');
    await cluster().direct.delete(widgets, key('a'));
    await eventually(() => {
      expect(seen.at(-1)).to.equal('DELETED a');
    });
    expect(seen[0]).to.equal('ADDED a');
    expect(seen.filter((line) => line === 'cleaned up')).to.have.length(1);
  });

  it('recovers from a half-open watch', async () => {
    await start();
    await eventually(() => {
      expect(cluster().proxy.openWatches).to.equal(1);
    });
    cluster().proxy.toWatches('freeze');
    await create();
    await converged(fastReflectorOptions.silentMs + 5_000);
  });
});

/** Injects a fault into half of the requests of some methods (or of any), in a pattern that is independent of retries. */
function flaky(
  methods: readonly string[] | undefined,
  how: number | 'reset' | 'loseAnswer',
): (proxy: FaultProxy) => void {
  return (proxy) => {
    let count = 0;
    proxy.when(
      (request) => (methods === undefined || methods.includes(request.method)) && isHit(++count),
      typeof how === 'number' ? { kind: 'answer', status: how } : { kind: how },
    );
  };
}

/** The same for each run, and without a period that the retries of requests could have too. */
function isHit(count: number): boolean {
  const mixed = Math.imul(count, 0x9e3779b1);
  const again = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((again ^ (again >>> 13)) & 1) === 1;
}
