/** Relates the memory limit, the heap and the largest body to each other. Pure functions; all values are in bytes. */

const MIB = 1024 * 1024;

/** Maximum memory for each byte of a body while its call runs: texts, findings, pseudonyms and the response. */
export const BYTES_PER_BODY_BYTE = 20;
/** Memory of a call in addition to its body. */
export const BYTES_PER_CALL = 50 * MIB;
/** Heap of the idle program. */
const IDLE_HEAP = 50 * MIB;
/** Maximum share of the heap for the memory store; see store/memoryStore.ts. */
const STORE_SHARE = 1 / 4;
/** Memory outside the heap: the program, the model and gazetteer of the tagger, and buffers. */
const OUTSIDE_HEAP = 192 * MIB;
/** The process that reads images: 500 MB were measured. It exists only where images are redacted. */
const IMAGE_PROCESS = 600 * MIB;
/** Default of GUARDRAIL_MAX_BODY. */
export const DEFAULT_MAX_BODY = 10 * MIB;

/**
 * The heap for a memory limit: the remainder, but at least a third of the limit.
 * @param readsImages whether images are redacted
 */
export function heapOf(limit: number, readsImages: boolean): number {
  return Math.max(limit - outsideHeap(readsImages), Math.floor(limit / 3));
}

function outsideHeap(readsImages: boolean): number {
  return OUTSIDE_HEAP + (readsImages ? IMAGE_PROCESS : 0);
}

/** Bytes of bodies that fit into a heap at the same time: at least one body of the largest size. */
export function bodiesIn(heap: number, maxBody: number): number {
  const left = heap * (1 - STORE_SHARE) - IDLE_HEAP - BYTES_PER_CALL;
  return Math.max(Math.floor(left / BYTES_PER_BODY_BYTE), maxBody);
}

/** The memory limit for a largest body, rounded up to 64 MiB. */
export function limitFor(maxBody: number, readsImages: boolean): number {
  const heap = (maxBody * BYTES_PER_BODY_BYTE + BYTES_PER_CALL + IDLE_HEAP) / (1 - STORE_SHARE);
  return Math.ceil((heap + outsideHeap(readsImages)) / (64 * MIB)) * 64 * MIB;
}

/** The largest body for a memory limit: at least 64 KiB. */
export function maxBodyOf(limit: number, readsImages: boolean): number {
  const left = heapOf(limit, readsImages) * (1 - STORE_SHARE) - IDLE_HEAP - BYTES_PER_CALL;
  return Math.max(Math.floor(left / BYTES_PER_BODY_BYTE), 64 * 1024);
}
