import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Pseudonym, SessionId } from '../ids.ts';

/** Encryption keys, 32 bytes each: the first encrypts, all decrypt. Never empty. */
export type KeyRing = readonly [Buffer, ...Buffer[]];

/**
 * How a mapping looks at rest, for a store that must not be able to read it.
 *
 * A sealed value is `compare (16) | key id (4) | nonce (12) | ciphertext | tag (16)`, where `compare` is a keyed digest
 * of the value: it lets a script inside Redis tell an equal value from another without reading either.
 */
export interface Cipher {
  /** The name under which a pseudonym is filed in its session: 16 bytes, a keyed digest. */
  index(session: SessionId, pseudonym: Pseudonym): Buffer;
  seal(session: SessionId, pseudonym: Pseudonym, value: string): Buffer;
  /** @throws UnreadableValueError */
  open(session: SessionId, pseudonym: Pseudonym, sealed: Buffer): string;
}

/** A stored value that no key of the ring opens, or that was tampered with or moved. Carries no value. */
export class UnreadableValueError extends Error {
  override readonly name = 'UnreadableValueError';
}

export const COMPARE_BYTES = 16;
export const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = COMPARE_BYTES + KEY_ID_BYTES + NONCE_BYTES;
const UTF8 = 0;
/** For a value with a lone surrogate, which UTF-8 cannot carry. */
const UTF16 = 1;

/**
 * @param sessionKey the secret that never rotates: what is looked up or compared is derived from it, so that a rotated
 * encryption key loses nothing.
 * @param ring read at each use, so that a rotation takes effect at once.
 */
export function createCipher(sessionKey: Buffer, ring: () => KeyRing): Cipher {
  const indexKey = Buffer.from(hkdfSync('sha256', sessionKey, '', 'guardrail/store/index', 32));
  const subkeys = new SubkeyCache();
  const nonces = new NoncePool();
  const compareKey = Buffer.from(hkdfSync('sha256', sessionKey, '', 'guardrail/store/compare', 32));

  return {
    index: (session, pseudonym) =>
      createHmac('sha256', indexKey).update(location(session, pseudonym)).digest().subarray(0, 16),

    seal(session, pseudonym, value) {
      const key = ring()[0];
      const place = location(session, pseudonym);
      const plain = encode(value);
      const compare = createHmac('sha256', compareKey).update(place).update('\0').update(plain).digest();
      const header = Buffer.concat([compare.subarray(0, COMPARE_BYTES), keyId(key), nonces.next()]);
      const cipher = createCipheriv('aes-256-gcm', subkeys.of(key, session), header.subarray(-NONCE_BYTES));
      cipher.setAAD(Buffer.concat([header, Buffer.from(place)]));
      return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },

    open(session, pseudonym, sealed) {
      if (sealed.length <= HEADER_BYTES + TAG_BYTES) throw new UnreadableValueError('The stored value is too short.');
      const header = sealed.subarray(0, HEADER_BYTES);
      const id = header.subarray(COMPARE_BYTES, COMPARE_BYTES + KEY_ID_BYTES);
      const key = ring().find((candidate) => keyId(candidate).equals(id));
      if (!key) throw new UnreadableValueError('The stored value was encrypted with a key that is not configured.');
      const decipher = createDecipheriv('aes-256-gcm', subkeys.of(key, session), header.subarray(-NONCE_BYTES));
      decipher.setAAD(Buffer.concat([header, Buffer.from(location(session, pseudonym))]));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return decode(Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]));
      } catch {
        throw new UnreadableValueError('The stored value was changed or belongs to another place.');
      }
    },
  };
}

const keyIds = new WeakMap<Buffer, Buffer>();

/** Tells keys apart without telling anything of them. */
export function keyId(key: Buffer): Buffer {
  let id = keyIds.get(key);
  if (!id) {
    id = createHash('sha256').update('guardrail/store/key-id').update(key).digest().subarray(0, KEY_ID_BYTES);
    keyIds.set(key, id);
  }
  return id;
}

/**
 * One key must not encrypt more than 2^32 times with random nonces (NIST SP 800-38D, 8.3), so each session has its own.
 * Values come session by session: remembering the last one is enough.
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

/** Random bytes are drawn for many nonces at a time: each is used once. */
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

function location(session: SessionId, pseudonym: Pseudonym): string {
  return `${session}\0${pseudonym}`;
}

function encode(value: string): Buffer {
  const wellFormed = value.isWellFormed();
  return Buffer.concat([Buffer.of(wellFormed ? UTF8 : UTF16), Buffer.from(value, wellFormed ? 'utf8' : 'utf16le')]);
}

function decode(plain: Buffer): string {
  return plain.toString(plain[0] === UTF16 ? 'utf16le' : 'utf8', 1);
}
