/**
 * Measures the operator's runtime with 10,000 objects in a real API server. Each figure is a ratio to a reference from the
 * same run: the memory of the cache to the plain list of the objects; the time until all are cached to one plain list;
 * read-only reconciles to that list; and reconciles that write a finalizer and a status to the same two requests in as many
 * plain loops.
 *
 *     node --expose-gc hack/bench/runtime.ts [objects]
 */
import type { Runtime } from '../../operator/runtime/runtime.ts';
import {
  keyOf,
  resource,
  systemClock,
  when,
  type ControllerSpec,
  type KubeObject,
} from '../../operator/runtime/runtime.ts';
import {
  RestClient,
  Transport,
  WidgetOperator,
  installWidgets,
  transportOptions,
  widget,
  widgets,
  type Widget,
} from '../../operator/runtime/testing/testing.ts';
import { startControlPlane } from '../harness/controlplane.ts';

const OBJECTS = Number(process.argv[2] ?? 10_000);
const WORKERS = 16;
const FINALIZER = 'test.guardrail.dev/bench';
const namespaces = resource<KubeObject>(
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);

/** @returns the used memory after garbage collection, once pending requests and turns have ended. */
async function used(): Promise<number> {
  if (!globalThis.gc) throw new Error('Run it with node --expose-gc.');
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

const seconds = (since: number): number => (performance.now() - since) / 1000;
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Runs `work` for each item, with limited concurrency. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
    }),
  );
}

const plane = await startControlPlane({ report: console.log });
const transport = new Transport(plane.kubeConfig(), transportOptions());
const client = new RestClient(transport);
try {
  await installWidgets(client, systemClock);
  for (const name of ['reference', 'bench']) await client.create(namespaces, { metadata: { name } });
  const names = Array.from({ length: OBJECTS }, (_, at) => `w-${at}`);
  let began = performance.now();
  await each(names, (name) => client.create(widgets, widget('bench', name)));
  console.log(`${OBJECTS} objects created in ${seconds(began).toFixed(1)} s`);

  // Reference 1: the time and memory of one plain list.
  await client.list(widgets, { namespace: 'bench' });
  let before = await used();
  began = performance.now();
  let listed: Widget[] | undefined = await client.list(widgets, { namespace: 'bench' });
  const listSeconds = seconds(began);
  const listBytes = (await used()) - before;
  console.log(`plain list: ${listSeconds.toFixed(2)} s, ${mebibytes(listBytes)} for ${listed.length} objects`);
  listed = undefined;

  // The operator with reconciles that only read.
  before = await used();
  let reconciled = 0;
  let operatorBytes = 0;
  let firstAt = 0;
  const run = async (
    reconcile: (runtime: Runtime) => ControllerSpec,
  ): Promise<{ total: number; reconciling: number }> => {
    reconciled = 0;
    const all = Promise.withResolvers<undefined>();
    const operator = new WidgetOperator(
      plane.kubeConfig(),
      (runtime) => {
        const controller = reconcile(runtime);
        return [
          {
            ...controller,
            reconciler: {
              async reconcile(key, context) {
                if (reconciled === 0) firstAt = performance.now();
                const result = await controller.reconciler.reconcile(key, context);
                if (++reconciled === OBJECTS) all.resolve(undefined);
                return result;
              },
            },
          },
        ];
      },
      { namespace: 'bench', controllers: { workers: WORKERS } },
    );
    const start = performance.now();
    await operator.start();
    await all.promise;
    const total = seconds(start);
    const reconciling = seconds(firstAt);
    operatorBytes = (await used()) - before;
    operator.stop();
    await operator.finished();
    return { total, reconciling };
  };
  const reading = await run((runtime) => {
    const cache = runtime.cache(widgets);
    return when(widgets).reconcile((key) =>
      Promise.resolve(cache.get(key) === undefined ? {} : { requeueAfter: 3_600_000 }),
    );
  });
  console.log(
    `cache, queue and requeues: ${mebibytes(operatorBytes)}, ${(operatorBytes / listBytes).toFixed(2)} × the plain list`,
  );
  console.log(
    `start to the first reconcile: ${(reading.total - reading.reconciling).toFixed(2)} s, ` +
      `${((reading.total - reading.reconciling) / listSeconds).toFixed(2)} × the plain list`,
  );
  console.log(
    `reconciles that only read: ${(OBJECTS / reading.reconciling).toFixed(0)}/s, all in ${(reading.reconciling / listSeconds).toFixed(2)} × the plain list`,
  );

  // Reference 2: the same two writes on other objects, in as many loops.
  await each(names, (name) => client.create(widgets, widget('reference', name)));
  const references = await client.list(widgets, { namespace: 'reference' });
  began = performance.now();
  await each(references, async (object) => {
    const key = keyOf(object);
    await client.patch(widgets, key, { metadata: { finalizers: [FINALIZER] } });
    await client.patch(widgets, key, { status: { size: 1 } }, { subresource: 'status' });
  });
  const plainSeconds = seconds(began);

  const writing = await run((runtime) => {
    const cache = runtime.cache(widgets);
    const status = runtime.status(widgets);
    const finalizer = runtime.finalizer(widgets, FINALIZER);
    return when(widgets).reconcile(async (key) => {
      const object = cache.get(key);
      if (object === undefined) return {};
      await status.write(await finalizer.add(object), { size: object.spec?.size ?? 0 });
      return { requeueAfter: 3_600_000 };
    });
  });
  console.log(`the two writes alone: ${(OBJECTS / plainSeconds).toFixed(0)} objects/s`);
  console.log(
    `reconciles with two writes: ${(OBJECTS / writing.reconciling).toFixed(0)}/s, ${(writing.reconciling / plainSeconds).toFixed(2)} × only the writes; ` +
      `${reconciled - OBJECTS} superfluous reconciles`,
  );
} finally {
  await transport.close();
  await plane.stop();
}
