import { expect } from 'chai';
import { parseBearerToken, presentsBearer } from './bearer.ts';

describe('a bearer token', () => {
  const TOKEN = 'a-token-of-prometheus';
  const PRESENTED: [header: string | undefined, expected: boolean][] = [
    [`Bearer ${TOKEN}`, true],
    [`bearer   ${TOKEN} `, true],
    [undefined, false],
    ['', false],
    [TOKEN, false],
    ['Bearer', false],
    [`Basic ${TOKEN}`, false],
    [`Bearer ${TOKEN}x`, false],
    [`Bearer ${TOKEN.slice(1)}`, false],
    [`Bearer ${TOKEN} ${TOKEN}`, false],
  ];
  for (const [header, expected] of PRESENTED) {
    it(`is ${expected ? '' : 'not '}presented by ${JSON.stringify(header)}`, () => {
      expect(presentsBearer(header, TOKEN)).to.equal(expected);
    });
  }

  it('may end with a line end, and is long enough and visible', () => {
    expect(parseBearerToken(`${TOKEN}\n`)).to.equal(TOKEN);
    for (const wrong of ['', 'short', 'with a space in between', 'ümlaute-in-the-token']) {
      expect(() => parseBearerToken(wrong)).to.throw('must contain a token of at least 16 visible ASCII characters');
    }
  });
});
