/**
 * Measures the cost of the mapping store: the memory of a mapping, as a ratio to the limit of 500 bytes, and what a session and a
 * put or get take of the Redis server, which says what one node bears.
 *
 *     node --expose-gc hack/bench/store.ts
 */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Pseudonym, SessionId, SubjectId } from '../../guardrail/ids.ts';
import { createMemoryStore, createRedisStore, parseRedisAddress } from '../../guardrail/store/store.ts';
import { startRedis } from '../harness/redis.ts';
import { inLoops, print } from './harness.ts';

const MAPPINGS = 200_000;
const PAIRS = 10;
const OPERATIONS = 4000;
const SESSIONS = 1000;
const CONCURRENCY = 32;
const ttlMs = 3_600_000;

const id = (): string => randomBytes(16).toString('hex');
const entries = (count: number): Map<Pseudonym, string> =>
  new Map(
    Array.from({ length: count }, (_, at): [Pseudonym, string] => [
      `<EMAIL_ADDRESS_${randomBytes(3).toString('hex').toUpperCase()}${at}>` as Pseudonym,
      `${randomBytes(5).toString('hex')}@example.org`,
    ]),
  );

function used(): number {
  if (!globalThis.gc) throw new Error('Run it with node --expose-gc.');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function memory(perSession: number): Promise<void> {
  const store = createMemoryStore({ ttlMs, maxBytes: Number.MAX_SAFE_INTEGER });
  const before = used();
  for (let done = 0; done < MAPPINGS; done += perSession) {
    const session = id() as SessionId;
    await store.put({ session, subject: id() as SubjectId, values: entries(perSession), fence: store.fence() });
  }
  const after = used();
  const [bytes, estimated] = [after - before, store.usage.bytes].map((all) => (all / MAPPINGS).toFixed(0));
  await store.close();
  const released = ((100 * (after - used())) / (after - before)).toFixed(0);
  print(
    `memory, ${perSession} mappings a session`,
    `${bytes} bytes a mapping (limit 500), estimated by the store: ${estimated}; released when it is closed: ${released} %`,
  );
}

async function redis(): Promise<void> {
  const server = await startRedis();
  const key = randomBytes(32);
  const store = createRedisStore({
    address: parseRedisAddress(server.url),
    sessionKey: randomBytes(32),
    encryptionKeys: () => [key],
    ttlMs,
  });
  const plain = new Redis(server.port, '127.0.0.1');
  const figure = async (section: string, name: string): Promise<number> =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await plain.info(section))?.[1]);
  const processorTime = async (): Promise<number> =>
    (await figure('cpu', 'used_cpu_user')) + (await figure('cpu', 'used_cpu_sys'));
  const isReady = (): Promise<boolean> =>
    store.ping().then(
      () => true,
      () => false,
    );
  while (!(await isReady()));
  const sessions = Array.from({ length: SESSIONS }, () => ({ session: id() as SessionId, values: entries(PAIRS) }));
  /** Does something with each session, again and again. */
  const all = async (work: (one: (typeof sessions)[number]) => Promise<unknown>): Promise<void> => {
    let next = 0;
    const one = async (): Promise<void> => {
      const session = sessions[(next += 1) % SESSIONS];
      if (session) await work(session);
    };
    await inLoops(CONCURRENCY, () => next < OPERATIONS, one);
  };
  const put = (): Promise<void> => all((one) => store.put({ ...one, subject: undefined, fence: store.fence() }));
  const get = (): Promise<void> => all(({ session, values }) => store.get(session, [...values.keys()]));

  const empty = await figure('memory', 'used_memory');
  await put();
  const stored = (await figure('memory', 'used_memory')) - empty;
  print(`Redis, a session with ${PAIRS} mappings`, `${(stored / SESSIONS).toFixed(0)} bytes`);
  await get();
  const began = await processorTime();
  await put();
  await get();
  const each = ((await processorTime()) - began) / (2 * OPERATIONS);
  print('Redis, a put or get', `${(1e6 * each).toFixed(0)} µs of the server's processor time`);
  plain.disconnect();
  await store.close();
  await server.stop();
}

for (const perSession of [1, 3, 10, 100]) await memory(perSession);
await redis();
