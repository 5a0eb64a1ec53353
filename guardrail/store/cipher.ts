import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Pseudonym, SessionId } from '../ids.ts';

/** Encryption keys of 32 bytes. The first encrypts, all decrypt. Never empty. */
export type KeyRing = readonly [Buffer, ...Buffer[]];

/**
 * Encrypts mappings for a store that must not be able to read them.
 *
 * A sealed value is `compare (16) | key id (4) | nonce (12) | ciphertext | tag (16)`. `compare` is a keyed digest of
 * the value: with it, a script inside Redis compares values without reading them.
 */
export interface Cipher {
  /** The field name of a pseudonym in its session: a keyed digest of 16 bytes. */
  index(session: SessionId, pseudonym: Pseudonym): Buffer;
  seal(session: SessionId, pseudonym: Pseudonym, value: string): Buffer;
  /** @throws UnreadableValueError */
  open(session: SessionId, pseudonym: Pseudonym, sealed: Buffer): string;
}

/** No key of the ring decrypts a stored value, or the value was modified or moved. The message contains no value. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';
}

export const COMPARE_BYTES = 16;
export const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = COMPARE_BYTES + KEY_ID_BYTES + NONCE_BYTES;
const UTF8 = 0;
/** For a value with a lone surrogate, which UTF-8 cannot encode. */
const UTF16 = 1;

/**
 * @param sessionKey the secret that is never rotated. Lookups and comparisons depend only on it, so a rotated
 * encryption key loses no mapping.
 * @param ring read at each use, so a rotation takes effect immediately.
 */
export function createCipher(sessionKey: Buffer, ring: () => KeyRing): Cipher {
  const indexKey = Buffer.from(hkdfSync('sha256', sessionKey, '', 'guardrail/store/index', 32));
  const subkeys = new SubkeyCache();
  const nonces = new NoncePool();
  const compareKey = Buffer.from(hkdfSync('sha256', sessionKey, '', 'guardrail/store/compare', 32));

  return {
    index: (session, pseudonym) =>
      createHmac('sha256', indexKey).update(contextOf(session, pseudonym)).digest().subarray(0, 16),

    seal(session, pseudonym, value) {
      const key = ring()[0];
      const context = contextOf(session, pseudonym);
      const plain = encode(value);
      const compare = createHmac('sha256', compareKey).update(context).update('\0').update(plain).digest();
      const header = Buffer.concat([compare.subarray(0, COMPARE_BYTES), keyId(key), nonces.next()]);
      const cipher = createCipheriv('aes-256-gcm', subkeys.of(key, session), header.subarray(-NONCE_BYTES));
      cipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
      return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },

    open(session, pseudonym, sealed) {
      if (sealed.length <= HEADER_BYTES + TAG_BYTES) throw new UnreadableValueError('The stored value is too short.');
      const header = sealed.subarray(0, HEADER_BYTES);
      const id = header.subarray(COMPARE_BYTES, COMPARE_BYTES + KEY_ID_BYTES);
      const key = ring().find((candidate) => keyId(candidate).equals(id));
      if (!key) throw new UnreadableValueError('The stored value was encrypted with a key that is not configured.');
      const decipher = createDecipheriv('aes-256-gcm', subkeys.of(key, session), header.subarray(-NONCE_BYTES));
      decipher.setAAD(Buffer.concat([header, Buffer.from(contextOf(session, pseudonym))]));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return decode(Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]));
      } catch {
        throw new UnreadableValueError('The stored value was modified, or it belongs to another session or pseudonym.');
      }
    },
  };
}

const keyIds = new WeakMap<Buffer, Buffer>();

/** Identifies a key without revealing it. */
export function keyId(key: Buffer): Buffer {
  let id = keyIds.get(key);
  if (!id) {
    id = createHash('sha256').update('guardrail/store/key-id').update(key).digest().subarray(0, KEY_ID_BYTES);
    keyIds.set(key, id);
  }
  return id;
}

/**
 * Derives an encryption key for each session: one key must not encrypt more than 2^32 times with random nonces (NIST SP
 * 800-38D, 8.3). Values arrive session by session, so only the last key is cached.
 */
class SubkeyCache {
  #key: Buffer | undefined;
  #session: SessionId | undefined;
  #subkey = Buffer.alloc(0);

  of(key: Buffer, session: SessionId): Buffer {
    if (this.#key !== key || this.#session !== session) {
      this.#subkey = createHmac('sha256', key).update('guardrail/store/session').update(session).digest();
      this.#key = key;
      this.#session = session;
    }
    return this.#subkey;
  }
}

/** Generates random bytes for many nonces at a time. */
class NoncePool {
  #bytes = Buffer.alloc(0);
  #at = 0;

  next(): Buffer {
    if (this.#at >= this.#bytes.length) {
      this.#bytes = randomBytes(256 * NONCE_BYTES);
      this.#at = 0;
    }
    this.#at += NONCE_BYTES;
    return this.#bytes.subarray(this.#at - NONCE_BYTES, this.#at);
  }
}

/** What a sealed value is bound to. */
function contextOf(session: SessionId, pseudonym: Pseudonym): string {
  return `${session}\0${pseudonym}`;
}

function encode(value: string): Buffer {
  const wellFormed = value.isWellFormed();
  return Buffer.concat([Buffer.of(wellFormed ? UTF8 : UTF16), Buffer.from(value, wellFormed ? 'utf8' : 'utf16le')]);
}

function decode(plain: Buffer): string {
  return plain.toString(plain[0] === UTF16 ? 'utf16le' : 'utf8', 1);
}
