import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { personalValues, quoteGateway } from './errorResponse.ts';

const masterKey = 'sk-a-master-key-of-the-test';

describe('quote of a gateway', () => {
  const error = (message: unknown): string => JSON.stringify({ error: { message, type: 'x', param: null, code: '1' } });
  const cases: readonly (readonly [what: string, text: string, quote: string])[] = [
    ['a LiteLLM error', error('No such thing'), 'No such thing'],
    ['a Python dictionary', error(`{'error': "Default Model not on proxy."}`), 'Default Model not on proxy.'],
    ['a budget API error', '{"detail":{"error":"Budget exists"}}', 'Budget exists'],
    [
      'a validation',
      '{"detail":[{"type":"missing","loc":["body","user_id"],"msg":"Field required","input":{"alias":"Anna"}}]}',
      'body.user_id: Field required',
    ],
    ['a LiteLLM error with a page in it', error('<title>502 Bad&nbsp;Gateway</title>'), '502 Bad Gateway'],
    [
      'a LiteLLM error with a page without a title',
      error('<script>x()</script><h1>Not &lt;here&gt;</h1>'),
      'Not <here>',
    ],
    ['control characters', error('a\u0000b\u001b[31mred\u202Etxt\u200b'), 'a b [31mredtxt'],
    ['quotation marks', error('no "route"'), "no 'route'"],
  ];
  for (const [what, text, quote] of cases) {
    it(`quotes the message of ${what}`, () => {
      expect(quoteGateway(text, masterKey)).to.equal(quote);
    });
  }

  // A tenant can name each of these as its gateway, and read in the status what the server says to the operator.
  for (const text of [
    '{"detail":"Not Found"}',
    '{"detail":"the secret of an internal server"}',
    '{"message":"no Route matched with those values"}',
    '{"error":"the secret of an internal server"}',
    '{"error":{"message":"the secret of an internal server"}}',
    '{"error":{"message":"the secret","type":"x","code":"1"}}',
    '{"detail":[{"msg":"the secret of an internal server"}]}',
    '{"kind":"Status","status":"Failure","message":"secrets \\"db\\" is forbidden","code":403}',
    '{"data":{"password":"hunter2"}}',
    '"RBAC: access denied"',
    'upstream connect error',
    '<!doctype html><html><head><title>Admin console of db-1.internal</title></head></html>',
    'root:x:0:0:root:/root:/bin/bash',
    '{"code":404}',
    '',
  ]) {
    it(`does not quote a response in another format: ${text}`, () => {
      expect(quoteGateway(text, masterKey)).to.equal('');
    });
  }

  it('masks keys, tokens, addresses and personal values of the call', () => {
    const hash = '2ab06cfadcdcc1bb1a1ff9edefb028084a837b3ed7b95f97e602b960ee127471';
    const secrets = [masterKey, 'sk-other', 'Bearer abc.def', hash, 'eyJhbGciOi.J9', 'hunter2', 'Anna Smith', 'c-17'];
    const texts = [
      error(`Received API Key = sk-other, Key Hash (Token) =${hash}`),
      error(`Authorization: Bearer abc.def refused`),
      error(`token: hunter2, jwt eyJhbGciOi.J9`),
      error(`The key ${masterKey.slice(0, 5)}\u200b${masterKey.slice(5)} is wrong`),
      error(`&#115;k-other`),
      error(`<b>${masterKey}</b>`),
      error(`proxy http://me:hunter2@proxy/`),
      error(`{"password":"hunter2"}`),
      error(`End User Id=c-17 does not exist, nor does Anna Smith (anna.smith@example.com)`),
    ];
    for (const text of texts) {
      const quote = quoteGateway(text, masterKey, ['c-17', 'Anna Smith']);
      for (const secret of [...secrets, 'example.com']) expect(quote, text).not.to.contain(secret);
    }
    expect(quoteGateway(texts.at(-1) ?? '', masterKey, ['c-17', 'Anna Smith'])).to.equal(
      'End User Id=… does not exist, nor does … (…)',
    );
  });

  it('masks whole words only', () => {
    expect(quoteGateway(error('The alias is a bad one'), masterKey, ['a'])).to.equal('The alias is … bad one');
    expect(quoteGateway(error('Foreign key: LiteLLM_EndUserTable_budget_id_fkey'), masterKey)).to.contain(
      'LiteLLM_EndUserTable',
    );
  });

  it('is one printable line of at most 200 characters, never contains the key, and takes linear time', async () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), fc.nat(300), (text, at) => {
        const quote = quoteGateway(error(`${text.slice(0, at)}${masterKey}${text.slice(at)}`), masterKey);
        expect(Array.from(quote).length).to.be.at.most(200);
        expect(quote).to.match(/^[^\p{C}]*$/u);
        expect(quote).not.to.contain(masterKey);
      }),
    );
    for (const unit of ['a', '<', '<a', '{"error":', '&#1;', 'sk-', '/', 'a1', '@', "'"])
      await expectLinearTime(unit, 1_000_000, (length) =>
        quoteGateway(error(unit.repeat(length)), masterKey, ['a'.repeat(256)]),
      );
  });

  it('lists the values of a request that must not be quoted', () => {
    const body = { user_id: 'c', alias: 'Anna', models: ['gpt'], metadata: { plan: 'gold', empty: '' } };
    expect(personalValues(body)).to.deep.equal(['c', 'Anna', 'plan', 'gold', 'empty']);
    expect(personalValues({ user_ids: ['c'] })).to.deep.equal(['c']);
    expect(personalValues(undefined)).to.deep.equal([]);
  });
});
