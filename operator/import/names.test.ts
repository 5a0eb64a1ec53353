import { expect } from 'chai';
import fc from 'fast-check';
import { resourceName } from './plan.ts';

describe('names of imported resources', () => {
  const cases: [id: string, name: RegExp][] = [
    ['acme', /^acme$/],
    ['team.acme-1', /^team\.acme-1$/],
    ['Acme', /^acme-[0-9a-f]{10}$/],
    ['Müller & Söhne', /^muller-sohne-[0-9a-f]{10}$/],
    ['anna@example.com', /^anna-example-com-[0-9a-f]{10}$/],
    ['山田', /^id-[0-9a-f]{10}$/],
    ['a'.repeat(64), /^a{52}-[0-9a-f]{10}$/],
    ['acme-0123456789', /^acme-0123456789-[0-9a-f]{10}$/],
    ['-', /^id-[0-9a-f]{10}$/],
    ['a..b', /^a-b-[0-9a-f]{10}$/],
  ];
  for (const [id, name] of cases) {
    it(`are as expected for ${id.slice(0, 20)}`, () => {
      expect(resourceName(id, 'ai/main')).to.match(name);
    });
  }

  it('are valid, the same each time, and never shared by two ids', () => {
    const ids = fc.uniqueArray(fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[a-cA-C.-]{1,4}$/)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(ids, (list) => {
        const names = list.map((id) => resourceName(id, 'ai/main'));
        expect(new Set(names).size).to.equal(list.length);
        for (const name of names) {
          expect(name).to.match(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
          expect(name.length).to.be.at.most(63);
        }
        // A derived name, used as an id, gets another name.
        for (const name of names.filter((one) => !list.includes(one))) {
          expect(names).to.not.include(resourceName(name, 'ai/main'));
        }
      }),
    );
  });

  it('differ from names that other resources have, and between instances', () => {
    const other = resourceName('acme', 'ai/main', (name) => name === 'acme');
    expect(other).to.match(/^acme-[0-9a-f]{10}$/);
    expect(resourceName('Acme', 'ai/main')).to.not.equal(resourceName('Acme', 'ai/other'));
  });
});
