import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Pseudonym, SessionId } from '../ids.ts';
import { COMPARE_BYTES, createCipher, KEY_ID_BYTES, keyId, UnreadableValueError } from './cipher.ts';

const SESSION = '0123456789abcdef0123456789abcdef' as SessionId;
const OTHER = 'f123456789abcdef0123456789abcdef' as SessionId;
const PSEUDONYM = '<PERSON_K7Q2RTM4>' as Pseudonym;
const OTHER_PSEUDONYM = '<PERSON_K7Q2RTM5>' as Pseudonym;
const sessionKey = randomBytes(32);
const [first, second] = [randomBytes(32), randomBytes(32)];
const cipher = createCipher(sessionKey, () => [first]);
const compareOf = (sealed: Buffer): string => sealed.subarray(0, COMPARE_BYTES).toString('hex');

describe('values at rest', () => {
  it('are decrypted byte for byte, including lone surrogates', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('\ud800')), (value) => {
        expect(cipher.open(SESSION, PSEUDONYM, cipher.seal(SESSION, PSEUDONYM, value))).to.equal(value);
      }),
    );
  });

  it('differ in each encryption, except for the digest that identifies equal values', () => {
    const sealed = Array.from({ length: 1000 }, () => cipher.seal(SESSION, PSEUDONYM, 'Anna'));
    expect(new Set(sealed.map((one) => one.toString('hex'))).size).to.equal(1000);
    expect(new Set(sealed.map(compareOf)).size).to.equal(1);
    const others = [
      cipher.seal(SESSION, PSEUDONYM, 'Bob'),
      cipher.seal(OTHER, PSEUDONYM, 'Anna'),
      cipher.seal(SESSION, OTHER_PSEUDONYM, 'Anna'),
    ];
    const rekeyed = createCipher(randomBytes(32), () => [first]).seal(SESSION, PSEUDONYM, 'Anna');
    for (const other of [...others, rekeyed]) {
      expect(compareOf(other)).to.not.equal(sealed[0] && compareOf(sealed[0]));
    }
  });

  it('cannot be decrypted in another session or for another pseudonym', () => {
    const sealed = cipher.seal(SESSION, PSEUDONYM, 'Anna');
    expect(() => cipher.open(OTHER, PSEUDONYM, sealed)).to.throw(UnreadableValueError);
    expect(() => cipher.open(SESSION, OTHER_PSEUDONYM, sealed)).to.throw(UnreadableValueError);
  });

  it('cannot be decrypted after a bit flip or a truncation', () => {
    const sealed = cipher.seal(SESSION, PSEUDONYM, 'Anna Schmidt');
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => cipher.open(SESSION, PSEUDONYM, changed), `bit ${bit}`).to.throw(UnreadableValueError);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => cipher.open(SESSION, PSEUDONYM, sealed.subarray(0, length))).to.throw(UnreadableValueError);
    }
  });

  it('are encrypted with the first key of the ring and decrypted with any, with constant digests', () => {
    const old = cipher.seal(SESSION, PSEUDONYM, 'Anna');
    const rotated = createCipher(sessionKey, () => [second, first]);
    const renewed = rotated.seal(SESSION, PSEUDONYM, 'Anna');
    expect(rotated.open(SESSION, PSEUDONYM, old)).to.equal('Anna');
    expect(rotated.open(SESSION, PSEUDONYM, renewed)).to.equal('Anna');
    expect(compareOf(renewed)).to.equal(compareOf(old));
    const idOf = (sealed: Buffer): Buffer => sealed.subarray(COMPARE_BYTES, COMPARE_BYTES + KEY_ID_BYTES);
    expect(idOf(old)).to.deep.equal(keyId(first));
    expect(idOf(renewed)).to.deep.equal(keyId(second));
    expect(() => cipher.open(SESSION, PSEUDONYM, renewed)).to.throw(UnreadableValueError, /key that is not configured/);
    expect(rotated.index(SESSION, PSEUDONYM)).to.deep.equal(cipher.index(SESSION, PSEUDONYM));
  });

  it('have a field name that does not reveal the pseudonym', () => {
    const names = [
      cipher.index(SESSION, PSEUDONYM),
      cipher.index(OTHER, PSEUDONYM),
      cipher.index(SESSION, OTHER_PSEUDONYM),
    ];
    expect(new Set(names.map((name) => name.toString('hex'))).size).to.equal(3);
    for (const name of names) expect(name).to.have.length(16);
  });
});
