import { expect } from 'chai';
import { MAX_VALUES, TooManyValuesError } from './contract.ts';
import { MAX_ENTITY, splitLongEntities } from './entityLength.ts';

const whole = (text: string) => [{ start: 0, end: text.length, type: 'PERSON' }];

describe('splitting long values', () => {
  it('makes single values of a repeated one', () => {
    const text = 'Anna Schmidt '.repeat(100).trim();
    expect(splitLongEntities(text, whole(text))).to.have.length(100);
    expect(splitLongEntities('Anna Schmidt', whole('Anna Schmidt'))).to.have.length(1);
  });

  it('cuts a word that is longer than a value', () => {
    const text = 'x'.repeat(2 * MAX_ENTITY + 1);
    expect(splitLongEntities(text, whole(text)).map(({ start, end }) => end - start)).to.deep.equal([256, 256, 1]);
  });

  it('ends with the first value that a call may not have', () => {
    const text = 'a '.repeat(MAX_VALUES + 1);
    expect(() => splitLongEntities(text, whole(text))).to.throw(TooManyValuesError);
    expect(splitLongEntities('a '.repeat(MAX_VALUES), whole('a '.repeat(MAX_VALUES)))).to.have.length(MAX_VALUES);
  });
});
