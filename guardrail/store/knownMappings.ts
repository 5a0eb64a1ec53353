import type { Pseudonym, SessionId } from '../ids.ts';
import { processDigest } from '../processDigest.ts';
import { Recent } from '../recent.ts';
import { COMPARE_BYTES, keyId, type Cipher, type KeyRing } from './cipher.ts';

/** Mappings that are remembered, of all sessions. Each takes about 300 bytes. */
const MAX_REMEMBERED = 10_000;

/**
 * The mappings that this process has stored last. Each call of a conversation stores its mappings again, and the store then
 * needs only the beginnings of the sealed values to see that it has them. So nothing is encrypted for a known value.
 *
 * No value is remembered, also not encrypted. What is remembered are keyed digests: that of a value is found by a digest that
 * only this process can compute, that of a field name by the session and the pseudonym.
 */
export class KnownMappings {
  readonly #cipher: Cipher;
  readonly #ring: () => KeyRing;
  /** In Latin-1: a small Buffer would keep the block alive from which it was cut. */
  readonly #indexes = new Recent<string>(MAX_REMEMBERED);
  readonly #compares = new Recent<string>(MAX_REMEMBERED);

  constructor(cipher: Cipher, ring: () => KeyRing) {
    this.#cipher = cipher;
    this.#ring = ring;
  }

  /** As {@link Cipher.index}. */
  index(session: SessionId, pseudonym: Pseudonym): Buffer {
    const name = `${session}\0${pseudonym}`;
    const known = this.#indexes.get(name);
    if (known !== undefined) return Buffer.from(known, 'latin1');
    const index = this.#cipher.index(session, pseudonym);
    this.#indexes.set(name, index.toString('latin1'));
    return index;
  }

  /** The beginning of the sealed value of a known mapping, with the id of the key that encrypts now: see {@link Cipher}. */
  stamp(session: SessionId, pseudonym: Pseudonym, value: string): Buffer | undefined {
    const compare = this.#compares.get(nameOf(session, pseudonym, value));
    return compare === undefined ? undefined : Buffer.concat([Buffer.from(compare, 'latin1'), keyId(this.#ring()[0])]);
  }

  /** Seals a value, and remembers its mapping. */
  seal(session: SessionId, pseudonym: Pseudonym, value: string): Buffer {
    const sealed = this.#cipher.seal(session, pseudonym, value);
    this.#compares.set(nameOf(session, pseudonym, value), sealed.toString('latin1', 0, COMPARE_BYTES));
    return sealed;
  }
}

/** JSON writes lone surrogates so that UTF-8 distinguishes them. */
function nameOf(session: SessionId, pseudonym: Pseudonym, value: string): string {
  return processDigest(JSON.stringify([session, pseudonym, value]));
}
