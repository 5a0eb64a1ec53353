import { expect } from 'chai';
import { headOf, requestChanges } from './headers.ts';

const head = (...list: readonly (readonly [key: string, value: string])[]): ReturnType<typeof headOf> =>
  headOf({ headers: { headers: list.map(([key, value]) => ({ key, value })) }, endOfStream: true }, 'latin1');

describe('headers of Envoy', () => {
  it('include one with the name __proto__, also if it is repeated', () => {
    const { headers, repeated } = head(['host', 'a'], ['__proto__', 'x'], ['__proto__', 'y'], ['constructor', 'z']);
    expect(Object.entries(headers)).to.deep.equal([
      ['host', 'a'],
      ['__proto__', 'x, y'],
      ['constructor', 'z'],
    ]);
    expect([...repeated]).to.deep.equal(['__proto__']);
  });

  it('are removed if they are not sent, whatever their name', () => {
    const { headers } = head(['__proto__', 'x'], ['constructor', 'y'], ['x-kept', 'z']);
    expect(requestChanges(headers, ['x-kept', 'z']).remove).to.deep.equal(['__proto__', 'constructor']);
    expect(requestChanges(headers, ['__proto__', 'x', 'constructor', 'y', 'x-kept', 'z'])).to.deep.equal({
      set: [],
      remove: [],
    });
  });
});
