import { hash } from 'node:crypto';

/** What the hash of a caller names: its share of the capacity, or its identity. */
type Purpose = 'share' | 'identity';

interface Hashed {
  readonly text: string;
  readonly hash: string;
}

/** The last texts of each connection. Most connections have one caller, and comparing two texts takes a tenth of a hash. */
const last = new WeakMap<object, Map<Purpose, Hashed>>();

/**
 * @param connection the connection of the call; undefined: it has none of its own
 * @returns SHA-256 of the text, in hexadecimal
 */
export function callerHash(text: string, purpose: Purpose, connection: object | undefined): string {
  if (!connection) return hash('sha256', text);
  const known = last.get(connection) ?? new Map<Purpose, Hashed>();
  const hashed = known.get(purpose);
  if (hashed?.text === text) return hashed.hash;
  const fresh = { text, hash: hash('sha256', text) };
  last.set(connection, known.set(purpose, fresh));
  return fresh.hash;
}
