/** For the test of the memory store: prints what a mapping costs, in bytes. To be run with --expose-gc. */
import { randomBytes } from 'node:crypto';
import type { Pseudonym, SessionId, SubjectId } from '../../ids.ts';
import { createMemoryStore } from '../memoryStore.ts';

const MAPPINGS = 30_000;

function used(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const text = 'x'.repeat(100_000);
const store = createMemoryStore({ ttlMs: 1_000_000 });
const before = used();
for (let n = 0; n < MAPPINGS; n += 1) {
  // The worst case: one mapping a session, each of another end user.
  const id = randomBytes(32).toString('hex');
  // As they come from the core: cut out of longer strings, which must not be kept alive.
  const values = new Map([[`<EMAIL_ADDRESS_${n}A>` as Pseudonym, `${text}${n}@example.org`.slice(-30)]]);
  await store.put({ session: id.slice(0, 32) as SessionId, subject: id.slice(32) as SubjectId, values, fence: 0 });
}
const measured = (used() - before) / MAPPINGS;
const accounted = store.usage.bytes / MAPPINGS;
await store.close();
console.log(JSON.stringify({ measured, accounted, left: (used() - before) / MAPPINGS }));
