import { expect } from 'chai';
import { parseRestoreKeys } from './restoreKeys.ts';

describe('the keys that may restore', () => {
  it('have a tenant and types each', () => {
    const keys = parseRestoreKeys('litellm:*, crm@litellm:EMAIL_ADDRESS| PHONE_NUMBER\nmail @ inline : PERSON');
    expect([...keys]).to.deep.equal([
      ['litellm', { tenant: 'litellm', isOnly: false, types: undefined }],
      ['crm', { tenant: 'litellm', isOnly: true, types: new Set(['EMAIL_ADDRESS', 'PHONE_NUMBER']) }],
      ['mail', { tenant: 'inline', isOnly: true, types: new Set(['PERSON']) }],
    ]);
  });

  const WRONG = [
    ...['', ',', 'crm', ':PERSON', 'crm:', 'crm:person', 'crm:PERSON|', 'crm:PERSON|*', 'crm:E-MAIL', 'a b:PERSON'],
    ...['@litellm:PERSON', 'crm@:PERSON', 'a@b@c:PERSON', 'crm:PERSON,crm:EMAIL_ADDRESS', 'crm:*,crm@litellm:*'],
  ];
  for (const text of WRONG) {
    it(`refuse ${JSON.stringify(text)}`, () => {
      expect(() => parseRestoreKeys(text)).to.throw(/^must (?!.*crm)/);
    });
  }
});
