import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for 256 ids: a call to the generator for each id takes longer than all else that is done for it. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** @returns 128 random bits, in hexadecimal */
export function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const from = used;
  used += ID_BYTES;
  const id = pool.toString('hex', from, used);
  // What is left in memory tells no id.
  pool.fill(0, from, used);
  return id;
}
