import { expect } from 'chai';
import { joined } from './joined.ts';

describe('joined', () => {
  const lists = { de: ['eins', 'zwei', 'drei'], fr: ['un', 'deux'], nl: ['een'] };

  it('takes runs of the lists in the given order', () => {
    expect(joined('de:1 fr:2 de nl', lists)).to.deep.equal(['eins', 'un', 'deux', 'zwei', 'drei', 'een']);
  });

  it('appends lists and entries that the order does not name', () => {
    expect(joined('nl de:2', lists)).to.deep.equal(['een', 'eins', 'zwei', 'drei', 'un', 'deux']);
  });

  it('rejects an unknown list', () => {
    expect(() => joined('de pl', lists)).to.throw('No list "pl".');
  });
});
