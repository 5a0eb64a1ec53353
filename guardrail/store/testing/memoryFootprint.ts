/** Prints the bytes that a mapping takes, for the test of the memory store. Run it with --expose-gc. */
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
  // The worst case: one mapping per session, and one session per end user.
  const id = randomBytes(32).toString('hex');
  // The caller passes substrings of longer texts, which the store must not keep alive.
  const values = new Map([[`<EMAIL_ADDRESS_${n}A>` as Pseudonym, `${text}${n}@example.org`.slice(-30)]]);
  await store.put({ session: id.slice(0, 32) as SessionId, subject: id.slice(32) as SubjectId, values, fence: 0 });
}
const measured = (used() - before) / MAPPINGS;
const accounted = store.usage.bytes / MAPPINGS;
await store.close();
console.log(JSON.stringify({ measured, accounted, left: (used() - before) / MAPPINGS }));
