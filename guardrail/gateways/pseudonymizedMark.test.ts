import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createPseudonymizedMark } from './pseudonymizedMark.ts';

const MINUTE_MS = 60_000;

describe('the mark of a call that has passed the inline proxy', () => {
  const key = createSecretKey(randomBytes(32));
  let time = 0;
  const mark = createPseudonymizedMark(key, () => time);
  beforeEach(() => {
    time = Date.UTC(2026, 10, 1);
  });

  it('is valid at every replica with the same session key', () => {
    const replica = createPseudonymizedMark(createSecretKey(key.export()), () => time - MINUTE_MS);
    expect([mark, replica].map((one) => one.isValid(mark.value()))).to.deep.equal([true, true]);
  });

  it('is valid for ten minutes', () => {
    const value = mark.value();
    time += 10 * MINUTE_MS;
    expect(mark.isValid(value)).to.equal(true);
    expect(mark.value()).to.not.equal(value);
    time += MINUTE_MS;
    expect(mark.isValid(value)).to.equal(false);
  });

  it('cannot be made without the key', () => {
    const value = mark.value();
    const [minute = '', tag = ''] = value.split('.');
    const another = createPseudonymizedMark(createSecretKey(randomBytes(32)), () => time).value();
    const later = (Number.parseInt(minute, 36) + 1).toString(36);
    const claimed: readonly unknown[] = [
      ...['', '1', 'yes', 'true', '[present]', another, tag, `${minute}.`, `${later}.${tag}`, `${value} `],
      ...[`${minute}.${tag.toUpperCase()}`, `-${value}`, undefined, null, 1, true, [value], { value }],
    ];
    expect(claimed.filter((one) => mark.isValid(one))).to.deep.equal([]);
  });
});
