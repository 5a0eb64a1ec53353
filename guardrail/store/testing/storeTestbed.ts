/** An implementation of the store under test, and values for tests. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { RedisGroup, RedisServer } from '../../../hack/harness/redis.ts';
import type { Pseudonym, SessionId, SubjectId } from '../../ids.ts';
import { createRedisStore, parseRedisAddress, type MappingStore, type PutResult } from '../store.ts';

interface StoreOptions {
  readonly ttlMs?: number;
  readonly tombstoneMs?: number;
}

export interface Implementation {
  readonly name: string;
  start?(): Promise<void>;
  /** Opens another client of the same data, or a new store where the data is in memory. */
  open(options?: StoreOptions): Promise<MappingStore>;
  stop?(): Promise<void>;
}

export const DAY = 86_400_000;

export const pseudonym = (code: string): Pseudonym => `<PERSON_${code}>` as Pseudonym;
export const ANNA = pseudonym('ANNAAA22');
export const BOB = pseudonym('BOB222');
export const CARL = pseudonym('CARL22');

/** Opens and closes the store of one implementation around its tests. */
export class StoreTestbed {
  readonly #implementation: Implementation;
  #store: MappingStore | undefined;

  constructor(implementation: Implementation) {
    this.#implementation = implementation;
    before(async function () {
      this.timeout(180_000);
      await implementation.start?.();
    });
    before(async () => {
      this.#store = await implementation.open();
    });
    after(async () => {
      await this.#store?.close();
      await implementation.stop?.();
    });
  }

  get store(): MappingStore {
    if (!this.#store) throw new Error('The store is open only in tests and hooks.');
    return this.#store;
  }

  open(options: StoreOptions): Promise<MappingStore> {
    return this.#implementation.open(options);
  }

  /** Runs a test with a second client of the same data: another connection, or the same store where it is in memory. */
  async withSecondStore(test: (second: MappingStore) => Promise<void>): Promise<void> {
    const second = await this.#implementation.open();
    try {
      await test(this.#implementation.name === 'memory' ? this.store : second);
    } finally {
      await second.close();
    }
  }

  readonly put = (
    session: SessionId,
    values: Readonly<Record<string, string>>,
    options: { subject?: SubjectId; fence?: number; in?: MappingStore; ttlMs?: number } = {},
  ): Promise<PutResult> => {
    const target = options.in ?? this.store;
    const fence = options.fence ?? target.fence();
    const { subject, ttlMs } = options;
    return target.put({ session, subject, values: new Map(Object.entries(values)) as never, fence, ttlMs });
  };
}

export function redisImplementation(name: string, launch: () => Promise<RedisServer | RedisGroup>): Implementation {
  let server: RedisServer | RedisGroup | undefined;
  const sessionKey = randomBytes(32);
  const encryptionKey = randomBytes(32);
  return {
    name,
    async start() {
      server = await launch();
    },
    async open(options = {}) {
      const store = createRedisStore({
        address: parseRedisAddress(server?.url ?? ''),
        sessionKey,
        encryptionKeys: () => [encryptionKey],
        ttlMs: options.ttlMs ?? DAY,
        ...(options.tombstoneMs === undefined ? {} : { tombstoneMs: options.tombstoneMs }),
      });
      await untilReady(store);
      return store;
    },
    async stop() {
      await server?.stop();
    },
  };
}

/** Ids of sessions and an end user. `session` and `sibling` share their first characters with the end user. */
export function newIds(): { session: SessionId; sibling: SessionId; stranger: SessionId; subject: SubjectId } {
  const id = (): string => randomBytes(16).toString('hex');
  const subject = id();
  const ofSubject = (): SessionId => (subject.slice(0, 4) + id().slice(4)) as SessionId;
  return { session: ofSubject(), sibling: ofSubject(), stranger: id() as SessionId, subject: subject as SubjectId };
}

export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) expect.fail('The condition did not become true within 10 s.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function untilReady(store: MappingStore): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    try {
      await store.ping();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      // Often, so that tests begin in the first moment in which the store says that it is healthy.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
