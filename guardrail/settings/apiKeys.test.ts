import { expect } from 'chai';
import { parseApiKeys } from './apiKeys.ts';

describe('API keys', () => {
  it('map to their names, are separated by commas or lines, and can share a name', () => {
    const keys = parseApiKeys('litellm:first-key-1, litellm:second-key\nportkey:third:key:3\r\n\nbare-key-4\n');
    const known: [key: string, tenant: string | undefined][] = [
      ['first-key-1', 'litellm'],
      ['second-key', 'litellm'],
      ['third:key:3', 'portkey'],
      ['bare-key-4', 'default'],
      ['', undefined],
      ['litellm:first-key-1', undefined],
      ['first-key-', undefined],
      ['first-key-12', undefined],
      ['FIRST-KEY-1', undefined],
    ];
    for (const [key, tenant] of known) expect(keys.tenantOf(key), key).to.equal(tenant);
  });

  const WRONG = [
    '',
    ' , \n',
    'short',
    'name:',
    ':nameless-key',
    'a b:key-of-ab',
    'a:key with spaces',
    'a:kéy-with-accent',
    'a:same-key-1,b:same-key-1',
  ];
  for (const text of WRONG) {
    it(`refuse ${JSON.stringify(text)} without repeating it`, () => {
      expect(() => parseApiKeys(text))
        .to.throw(/^must /)
        .with.property('message')
        .that.does.not.match(/same-key|accent|spaces/);
    });
  }

  it('can be listed twice under the same name', () => {
    expect(parseApiKeys('a:same-key-1,a:same-key-1').tenantOf('same-key-1')).to.equal('a');
  });
});
