/** How much memory the guardrail takes, and how its limits fit together. Pure; all in bytes. */

const MIB = 1024 * 1024;

/** What a byte of a body costs at most while its call is worked on: texts, findings, pseudonyms, and the answer. */
export const BYTES_PER_BODY_BYTE = 20;
/** What a call costs besides. */
export const BYTES_PER_CALL = 50 * MIB;
/** What the program keeps on its heap while nothing happens. */
const HEAP_AT_REST = 50 * MIB;
/** The memory store takes as much of the heap at most: see store/memoryStore.ts. */
const STORE_SHARE = 1 / 4;
/** Outside the heap: the program itself, the tagger's model and gazetteer, buffers. */
const OUTSIDE_HEAP = 192 * MIB;
/** The thread that reads pictures: 300 MB at most. */
const PICTURES = 300 * MIB;
/** The largest body where nothing else is set. */
export const DEFAULT_MAX_BODY = 10 * MIB;

/** The heap of a container with a memory limit: what the rest leaves, and never less than a third. */
export function heapOf(limit: number): number {
  return Math.max(limit - OUTSIDE_HEAP - PICTURES, Math.floor(limit / 3));
}

/** How many bytes of bodies fit into a heap at the same time: one of the largest at least. */
export function bodiesIn(heap: number, maxBody: number): number {
  const left = heap * (1 - STORE_SHARE) - HEAP_AT_REST - BYTES_PER_CALL;
  return Math.max(Math.floor(left / BYTES_PER_BODY_BYTE), maxBody);
}

/** The memory limit with which bodies up to a size fit, in steps of 64 MiB. */
export function limitFor(maxBody: number): number {
  const heap = (maxBody * BYTES_PER_BODY_BYTE + BYTES_PER_CALL + HEAP_AT_REST) / (1 - STORE_SHARE);
  return Math.ceil((heap + OUTSIDE_HEAP + PICTURES) / (64 * MIB)) * 64 * MIB;
}

/** The largest body that fits into a container with a memory limit: 64 KiB at least. */
export function maxBodyOf(limit: number): number {
  const left = heapOf(limit) * (1 - STORE_SHARE) - HEAP_AT_REST - BYTES_PER_CALL;
  return Math.max(Math.floor(left / BYTES_PER_BODY_BYTE), 64 * 1024);
}
