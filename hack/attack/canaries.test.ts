import { expect } from 'chai';
import fc from 'fast-check';
import { Canaries } from './canaries.ts';
import { randomOf } from './random.ts';

describe('canary values', () => {
  const newCanary = (): { readonly values: Canaries; readonly token: string } => {
    const values = new Canaries(randomOf(1, 'test'));
    return { values, token: values.token() };
  };

  it('are found in any letter case and inside other values', () => {
    const { values, token } = newCanary();
    const email = values.email();
    expect(values.scan(`a line with ${token}.`)).to.deep.equal([token]);
    expect(values.scan(`{"x":"${token.toUpperCase()}"}`)).to.deep.equal([token]);
    expect(values.scan(`https://example.org/?q=${encodeURIComponent(email)}`)).to.deep.equal([email.split('@')[0]]);
  });

  it('are found in base64 and hexadecimal, at any offset', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (before, after) => {
        const { values, token } = newCanary();
        const bytes = Buffer.from(`${before}${token}${after}`);
        expect(values.scan(bytes.toString('base64'))).to.deep.equal([token]);
        expect(values.scan(bytes.toString('base64url'))).to.deep.equal([token]);
        expect(values.scan(bytes.toString('hex'))).to.deep.equal([token]);
      }),
    );
  });

  it('are not found in other texts', () => {
    const { values, token } = newCanary();
    expect(values.scan('')).to.deep.equal([]);
    expect(values.scan(`${token.slice(0, -1)} ${Buffer.from('another text').toString('base64')}`)).to.deep.equal([]);
  });

  it('are unique, and repeat with the seed', () => {
    const [first, second] = [new Canaries(randomOf(7, 'a')), new Canaries(randomOf(7, 'a'))];
    const tokens = Array.from({ length: 50 }, () => first.token());
    expect(new Set(tokens).size).to.equal(50);
    expect(Array.from({ length: 50 }, () => second.token())).to.deep.equal(tokens);
    expect(new Canaries(randomOf(7, 'b')).token()).not.to.equal(tokens[0]);
  });
});
