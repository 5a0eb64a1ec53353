import { expect } from 'chai';
import { ObjectCache } from '../cache/cache.ts';
import type { ReconcileContext, Result } from '../contract.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { ApiError, RetryAfterError } from '../client/errors.ts';
import { createLogger } from '../log.ts';
import { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyOf, resource } from '../objects.ts';
import { TestClock, settle } from '../testing/testClock.ts';
import { silentLog } from '../testing/widgets.ts';
import { when, type ControllerSpec } from './controllerSpec.ts';

const things = resource<KubeObject>({ group: 'test', version: 'v1', kind: 'Thing', plural: 'things' });
const others = resource<KubeObject>({ group: 'test', version: 'v1', kind: 'Other', plural: 'others' });

interface ThingOptions {
  readonly generation?: number;
  readonly observedGeneration?: number;
  readonly labels?: Record<string, string>;
  readonly owner?: string;
}

let versions = 0;
function thing(name: string, options: ThingOptions = {}): KubeObject {
  const { generation = 1, observedGeneration, labels, owner } = options;
  return {
    apiVersion: 'test/v1',
    kind: 'Thing',
    metadata: {
      namespace: 'ns',
      name,
      uid: `uid-${name}`,
      resourceVersion: String(++versions),
      generation,
      ...(labels === undefined ? {} : { labels }),
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'test/v1', kind: 'Thing', name: owner, uid: 'u', controller: true }] }),
    },
    ...(observedGeneration === undefined ? {} : { status: { observedGeneration } }),
  };
}

describe('the controller', () => {
  let clock: TestClock;
  let log: typeof silentLog;
  let metrics: RuntimeMetrics;
  let cache: ObjectCache<KubeObject>;
  let otherCache: ObjectCache<KubeObject>;
  let loop: Controller | undefined;
  let signal: AbortController;
  /** Names in the order of their reconciles. */
  let reconciled: string[];

  beforeEach(() => {
    clock = new TestClock();
    log = silentLog;
    metrics = new RuntimeMetrics();
    cache = new ObjectCache();
    otherCache = new ObjectCache();
    signal = new AbortController();
    reconciled = [];
  });
  afterEach(async () => {
    signal.abort();
    await loop?.stop();
    loop = undefined;
    expect(clock.pending, 'all timers are cancelled').to.equal(0);
  });

  type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<Result>;

  function start(spec: ControllerSpec, options: Partial<ControllerOptions> = {}): void {
    loop = new Controller({
      spec,
      caches: (kind: ResourceKind) => (kind === things ? cache : otherCache),
      clock,
      log,
      metrics,
      options: { workers: 2, timeoutMs: 60_000, backoffMs: [100, 10_000], ...options },
    });
    loop.start(signal.signal);
  }

  function run(reconcile: Reconcile = () => Promise.resolve({}), options: Partial<ControllerOptions> = {}): void {
    start(when(things).reconcile(recorded(reconcile)), options);
  }

  function recorded(reconcile: Reconcile): Reconcile {
    return (key, context) => {
      reconciled.push(key.name);
      return reconcile(key, context);
    };
  }

  async function total(result: string): Promise<number> {
    const { values } = await metrics.reconcileTotal.get();
    return values.find(({ labels }) => labels.result === result)?.value ?? 0;
  }

  describe('reports an unexpected error on the object', () => {
    const VALUE = 'sk-secret';

    async function reportedMessages(
      error: Error,
      more: { isExpected?: boolean; fails?: boolean } = {},
    ): Promise<string[]> {
      const messages: string[] = [];
      const reconciler = {
        reconcile: recorded(() => Promise.reject(error)),
        isExpected: () => more.isExpected ?? false,
        reportUnexpectedError: ({ name }: ObjectKey, message: string): Promise<void> => {
          messages.push(`${name}: ${message}`);
          return more.fails === true ? Promise.reject(new TypeError(VALUE)) : Promise.resolve();
        },
      };
      cache.upsert(thing('a'));
      start(when(things).reconcile(reconciler));
      await settle();
      await clock.advance(150);
      expect(reconciled, 'the reconcile is retried').to.deep.equal(['a', 'a']);
      return messages;
    }

    it("without the error's message, which may contain a value, neither on the object nor in the log", async () => {
      const lines: string[] = [];
      log = createLogger('debug', { write: (line) => lines.push(line) });
      const error = Object.assign(new TypeError(`Invalid URL ${VALUE}\n${VALUE}`), {
        code: 'ERR_INVALID_URL',
        input: VALUE,
      });
      const messages = await reportedMessages(error);
      expect(messages).to.deep.equal(
        Array.from(
          { length: 2 },
          () =>
            'a: The reconcile failed with an internal error (TypeError ERR_INVALID_URL). The operator retries; see its log.',
        ),
      );
      expect(lines.join('')).to.include('controller.test.ts').and.not.include(VALUE);
    });

    it('when the API server rejects a request permanently', async () => {
      const [message] = await reportedMessages(new ApiError(VALUE, { status: 422, reason: 'Invalid' }));
      expect(message).to.include('The API server rejected a request').and.include('ApiError 422 Invalid');
      expect(message).to.not.include(VALUE);
    });

    it('and retries when the report fails, too', async () => {
      expect(await reportedMessages(new RangeError('a'), { fails: true })).to.have.length(2);
    });

    for (const [what, error, isExpected] of [
      ['a conflict', new ApiError('a', { status: 409 }), false],
      ['an object that no longer exists', new ApiError('a', { status: 404 }), false],
      ['an unreachable API server', new ApiError('a', { status: 0 }), false],
      ['an internal error of the API server', new ApiError('a', { status: 500 }), false],
      ['an error that the reconcile has reported itself', new Error('a'), true],
    ] as const) {
      it(`but not for ${what}`, async () => {
        expect(await reportedMessages(error, { isExpected })).to.deep.equal([]);
      });
    }

    it('when a reconcile times out', async () => {
      const messages: string[] = [];
      cache.upsert(thing('a'));
      start(
        when(things).reconcile({
          reconcile: (_key, context) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener('abort', () => {
                reject(new Error('given up'));
              });
            }),
          isExpected: () => false,
          reportUnexpectedError: (_key, message) => {
            messages.push(message);
            return Promise.resolve();
          },
        }),
      );
      await settle();
      await clock.advance(60_000);
      expect(messages).to.deep.equal(['The reconcile timed out after 60 s. The operator retries; see its log.']);
    });
  });

  it('reconciles existing objects at the start, and objects that are added, changed or deleted later', async () => {
    cache.upsert(thing('a'));
    run();
    await settle();
    cache.upsert(thing('b'));
    await settle();
    cache.upsert(thing('a', { generation: 2 }));
    await settle();
    cache.remove(thing('b'));
    await settle();
    expect(reconciled).to.deep.equal(['a', 'b', 'a', 'b']);
    expect(await total('success')).to.equal(4);
  });

  const changes: [string, ThingOptions, boolean][] = [
    ['the spec', { generation: 2 }, true],
    ['a label', { labels: { new: 'yes' } }, true],
    ['an owner', { owner: 'x' }, true],
    ['nothing but the status', { observedGeneration: 1 }, false],
  ];
  for (const [what, options, expected] of changes) {
    it(`${expected ? 'reconciles' : 'does not reconcile'} when ${what} changed`, async () => {
      cache.upsert(thing('a'));
      run();
      await settle();
      cache.upsert(thing('a', options));
      await settle();
      expect(reconciled.length > 1).to.equal(expected);
    });
  }

  describe('does not react to its own writes', () => {
    /** Runs a reconcile that writes its own object once, and counts the reconciles. */
    async function writing(write: (before: KubeObject, after: KubeObject) => void): Promise<number> {
      const before = thing('a');
      cache.upsert(before);
      run(() => {
        if (reconciled.length === 1) write(before, thing('a', { labels: { ours: 'yes' } }));
        return Promise.resolve({});
      });
      await settle();
      return reconciled.length;
    }

    it('when the response comes before the watch event', async () => {
      const count = await writing((before, after) => {
        cache.applyOwnWrite(after, before.metadata.resourceVersion);
        cache.upsert(after);
      });
      expect(count).to.equal(1);
    });

    it('when the watch event comes before the response', async () => {
      const count = await writing((before, after) => {
        cache.upsert(after);
        cache.applyOwnWrite(after, before.metadata.resourceVersion);
      });
      expect(count).to.equal(1);
    });

    it('but reacts to writes of others in between', async () => {
      const count = await writing((_before, after) => {
        const theirs = thing('a', { labels: { theirs: 'yes' } });
        cache.upsert(theirs);
        cache.applyOwnWrite(after, undefined);
        cache.upsert(thing('a', { labels: { ours: 'yes', theirs: 'yes' } }));
      });
      expect(count).to.equal(2);
    });

    it('but reacts if the write was guarded by no version, or by another one', async () => {
      expect(
        await writing((_before, after) => {
          cache.applyOwnWrite(after, undefined);
        }),
      ).to.equal(2);
    });

    it('but reacts if the response was lost', async () => {
      const count = await writing((_before, after) => {
        cache.upsert(after);
      });
      expect(count).to.equal(2);
    });
  });

  it('reconciles the objects that a change of another kind affects, each once', async () => {
    cache.upsert(thing('a'));
    cache.upsert(thing('b'));
    start(
      when(things)
        .watches(others, () => [...cache.list(), ...cache.list()].map(keyOf))
        .reconcile(recorded(() => Promise.resolve({}))),
    );
    await settle();
    reconciled.length = 0;
    otherCache.upsert(thing('other'));
    await settle();
    expect(reconciled.sort()).to.deep.equal(['a', 'b']);
  });

  it('reconciles deleted objects at the start if another kind refers to them, and existing objects only once', async () => {
    cache.upsert(thing('there'));
    otherCache.upsert(thing('one', { labels: { of: 'there' } }));
    otherCache.upsert(thing('two', { labels: { of: 'gone' } }));
    const named = (object: KubeObject): ObjectKey[] => [{ namespace: 'ns', name: object.metadata.labels?.of ?? '' }];
    start(
      when(things)
        .watches(others, named)
        .reconcile(recorded(() => Promise.resolve({}))),
    );
    await settle();
    expect(reconciled.sort()).to.deep.equal(['gone', 'there']);
  });

  it('reconciles the owner of an object before and after a change', async () => {
    start(
      when(things)
        .owns(others)
        .reconcile(recorded(() => Promise.resolve({}))),
    );
    otherCache.upsert(thing('child', { owner: 'a' }));
    await settle();
    otherCache.upsert(thing('child', { owner: 'b' }));
    await settle();
    otherCache.remove(thing('child'));
    await settle();
    expect(reconciled).to.deep.equal(['a', 'a', 'b', 'b']);
  });

  it('requeues after the requested time, ±10 %, so that objects do not all return at once', async () => {
    const began = new Map<string, number[]>();
    const names = Array.from({ length: 100 }, (_, at) => `a${at}`);
    for (const name of names) cache.upsert(thing(name));
    let drawn = 0;
    clock.randomSource = () => (drawn++ % 100) / 100;
    run(({ name }) => {
      began.set(name, [...(began.get(name) ?? []), clock.monotonic()]);
      return Promise.resolve({ requeueAfter: 300_000 });
    });
    await clock.advance(2_500_000);
    let reconciles = 0;
    for (const times of began.values()) {
      reconciles += times.length;
      for (let next = 1; next < times.length; next++) {
        expect((times[next] ?? 0) - (times[next - 1] ?? 0)).to.be.within(269_999, 330_001);
      }
    }
    const second = new Set([...began.values()].map((times) => times[1]));
    expect(second.size).to.be.greaterThan(90);
    expect(await total('requeue_after')).to.equal(reconciles);
  });

  it('retries with backoff after an error, and counts it', async () => {
    cache.upsert(thing('a'));
    run(() => Promise.reject(new Error('no')));
    await clock.advance(750);
    expect(reconciled).to.have.length(4);
    expect(await total('error')).to.equal(4);
    expect((await metrics.reconcileErrors.get()).values[0]?.value).to.equal(4);
  });

  const requestedDelays: [string, Error][] = [
    ['a reconcile', new RetryAfterError('limited', 60_000)],
    ['the API server', new ApiError('busy', { status: 429, retryAfterMs: 60_000 })],
  ];
  for (const [who, error] of requestedDelays) {
    it(`retries after the delay that ${who} requests`, async () => {
      cache.upsert(thing('a'));
      run(() => Promise.reject(error));
      await clock.advance(59_000);
      expect(reconciled).to.have.length(1);
      await clock.advance(8_000);
      expect(reconciled).to.have.length(2);
    });
  }

  it('aborts a reconcile after its timeout', async () => {
    cache.upsert(thing('a'));
    run(
      (_key, context) =>
        new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            reject(context.signal.reason as Error);
          });
        }),
      { timeoutMs: 30_000 },
    );
    await clock.advance(29_000);
    expect(await total('error')).to.equal(0);
    await clock.advance(1_001);
    expect(await total('error')).to.equal(1);
    expect((await metrics.reconcileTimeouts.get()).values[0]?.value).to.equal(1);
  });

  it('never runs two reconciles of one object at once', async () => {
    let running = 0;
    let most = 0;
    run(
      async () => {
        most = Math.max(most, ++running);
        await settle();
        running -= 1;
        return {};
      },
      { workers: 8 },
    );
    for (let generation = 1; generation <= 50; generation++) {
      cache.upsert(thing('a', { generation }));
      await settle();
    }
    await settle();
    expect(most).to.equal(1);
    expect(reconciled.length).to.be.above(1);
  });

  it('takes a new object before 10,000 old ones, and outdated old ones before the others', async () => {
    for (let at = 0; at < 10_000; at++)
      cache.upsert(thing(`old-${at}`, { observedGeneration: at % 100 === 0 ? 0 : 1 }));
    const release: (() => void)[] = [];
    run(
      () =>
        new Promise((resolve) => {
          release.push(() => {
            resolve({});
          });
        }),
    );
    await settle();
    cache.upsert(thing('new'));
    const step = async (): Promise<void> => {
      for (const one of release.splice(0)) one();
      await settle();
    };
    await step();
    expect(reconciled.indexOf('new')).to.be.within(0, 4);
    while (reconciled.length < 110) await step();
    const unfinished = reconciled
      .slice(0, 110)
      .filter((name) => name.endsWith('00') || name === 'old-0' || name === 'new');
    expect(unfinished.length).to.be.above(95);
    void step();
    signal.abort();
    const stopped = loop?.stop();
    await step();
    await stopped;
  });

  it('stops: starts no new reconciles, and lets running ones end', async () => {
    cache.upsert(thing('a'));
    cache.upsert(thing('b'));
    cache.upsert(thing('c'));
    const release: (() => void)[] = [];
    run(
      () =>
        new Promise((resolve) => {
          release.push(() => {
            resolve({ requeueAfter: 1_000 });
          });
        }),
      // One namespace uses half of them.
      { workers: 4 },
    );
    await settle();
    let stopped = false;
    const stopping = loop?.stop().then(() => (stopped = true));
    await settle();
    expect([stopped, reconciled.length]).to.deep.equal([false, 2]);
    for (const one of release) one();
    await stopping;
    expect(reconciled).to.have.length(2);
  });
});
