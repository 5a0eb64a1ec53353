/**
 * Measures the cost of the mapping store as ratios to references from the same run: the memory of a mapping to the limit of
 * 400 bytes, and Redis operations to the simplest commands for the job (HSET and HMGET on the same client library, without
 * encryption and checks). The figures of the Redis server itself, memory and processor time, say what one node bears.
 *
 *     node --expose-gc hack/bench/store.ts
 */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Pseudonym, SessionId, SubjectId } from '../../guardrail/ids.ts';
import {
  createMemoryStore,
  createRedisStore,
  parseRedisAddress,
  type MappingStore,
} from '../../guardrail/store/store.ts';
import { startRedis } from '../harness/redis.ts';

const PAIRS = 10;
const OPERATIONS = 4000;
const SESSIONS = 1000;
const CONCURRENCY = 32;

const id = (): string => randomBytes(16).toString('hex');
const entries = (count: number): Map<Pseudonym, string> =>
  new Map(
    Array.from({ length: count }, (_, at): [Pseudonym, string] => [
      `<EMAIL_ADDRESS_${randomBytes(3).toString('hex').toUpperCase()}${at}>` as Pseudonym,
      `${randomBytes(5).toString('hex')}@example.org`,
    ]),
  );

async function memory(perSession: number): Promise<void> {
  const mappings = 200_000;
  const store = createMemoryStore({ ttlMs: 3_600_000, maxBytes: Number.MAX_SAFE_INTEGER });
  const before = used();
  for (let done = 0; done < mappings; done += perSession) {
    const session = id() as SessionId;
    await store.put({ session, subject: id() as SubjectId, values: entries(perSession), fence: store.fence() });
  }
  const after = used();
  const bytes = (after - before) / mappings;
  print(`memory, ${perSession} per session, with end users`, `${bytes.toFixed(0)} bytes per mapping (limit 400)`);
  print('  estimated by the store itself', `${(store.usage.bytes / mappings).toFixed(0)} bytes`);
  await store.close();
  print('  released when it is closed', `${((100 * (after - used())) / (after - before)).toFixed(0)} %`);
}

function used(): number {
  if (!globalThis.gc) throw new Error('Run it with node --expose-gc.');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @returns the operations per second with a fixed concurrency. */
async function rate(operation: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < OPERATIONS) {
      next += 1;
      await operation(next);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return (1000 * OPERATIONS) / (performance.now() - start);
}

async function redis(): Promise<void> {
  const server = await startRedis();
  const key = randomBytes(32);
  const store: MappingStore = createRedisStore({
    address: parseRedisAddress(server.url),
    sessionKey: randomBytes(32),
    encryptionKeys: () => [key],
    ttlMs: 3_600_000,
  });
  const plain = new Redis(server.port, '127.0.0.1');
  await plain.ping();
  for (let ready = false; !ready;)
    ready = await store.ping().then(
      () => true,
      () => false,
    );
  const sessions = Array.from({ length: SESSIONS }, () => ({ session: id() as SessionId, values: entries(PAIRS) }));
  const figure = async (section: string, name: string): Promise<number> =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await plain.info(section))?.[1]);
  const processorTime = async (): Promise<number> =>
    (await figure('cpu', 'used_cpu_user')) + (await figure('cpu', 'used_cpu_sys'));
  const at = (n: number): (typeof sessions)[number] => {
    const session = sessions[n % sessions.length];
    if (!session) throw new Error('There are no sessions.');
    return session;
  };

  const put = (n: number): Promise<unknown> => store.put({ ...at(n), subject: undefined, fence: store.fence() });
  const get = (n: number): Promise<unknown> => store.get(at(n).session, [...at(n).values.keys()]);
  const hset = (n: number): Promise<unknown> => plain.hset(`plain:${at(n).session}`, at(n).values);
  const hmget = (n: number): Promise<unknown> => plain.hmget(`plain:${at(n).session}`, ...at(n).values.keys());
  const empty = await figure('memory', 'used_memory');
  await rate(put);
  const stored = (await figure('memory', 'used_memory')) - empty;
  print(`Redis, a session with ${PAIRS} mappings`, `${(stored / SESSIONS).toFixed(0)} bytes`);
  for (const warmUp of [get, hset, hmget]) await rate(warmUp);
  const began = await processorTime();
  await rate(put);
  await rate(get);
  const each = ((await processorTime()) - began) / (2 * OPERATIONS);
  print('Redis, a put or get', `${(1e6 * each).toFixed(0)} µs of the server's processor time`);
  // The operations alternate, so that other work affects both.
  const rates = { put: 0, get: 0, hset: 0, hmget: 0 };
  for (let round = 0; round < 3; round += 1) {
    rates.put = Math.max(rates.put, await rate(put));
    rates.hset = Math.max(rates.hset, await rate(hset));
    rates.get = Math.max(rates.get, await rate(get));
    rates.hmget = Math.max(rates.hmget, await rate(hmget));
  }
  print(
    `put of ${PAIRS} against HSET`,
    `${(rates.put / rates.hset).toFixed(2)} of its rate (${rates.put.toFixed(0)}/s)`,
  );
  print(
    `get of ${PAIRS} against HMGET`,
    `${(rates.get / rates.hmget).toFixed(2)} of its rate (${rates.get.toFixed(0)}/s)`,
  );
  plain.disconnect();
  await store.close();
  await server.stop();
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(48)} ${figure}\n`);
}

for (const perSession of [1, 3, 10, 100]) await memory(perSession);
if (!process.argv.includes('--memory')) await redis();
