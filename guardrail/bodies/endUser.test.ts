import { expect } from 'chai';
import { endUsersOf } from './bodies.ts';

const JSON_TYPE = 'application/json';
const FORM = 'multipart/form-data; boundary=b';
const part = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

describe('the end users of a body', () => {
  const cases: readonly (readonly [type: string, body: string, users: string[]])[] = [
    [JSON_TYPE, '{"user":"a","safety_identifier":"b"}', ['a', 'b']],
    [JSON_TYPE, '{"safety_identifier":"b"}', ['b']],
    [JSON_TYPE, '{"metadata":{"user_id":"c"},"safety_identifier":"b"}', ['c', 'b']],
    [JSON_TYPE, '{"metadata":{"user_id":"c"},"litellm_metadata":{"user":"d"}}', ['d', 'c']],
    [JSON_TYPE, '{"metadata":"{\\"user_id\\":\\"c\\"}"}', ['c']],
    [JSON_TYPE, '{"litellm_metadata":"{\\"user\\":\\"d\\"}"}', ['d']],
    [JSON_TYPE, '{"user":"first","user":"last"}', ['last', 'first']],
    [JSON_TYPE, '{"\\u0075ser":"a"}', ['a']],
    [JSON_TYPE, '{"user":" a "}', ['a']],
    [JSON_TYPE, '{"user":7}', ['7']],
    [JSON_TYPE, '{"user":""}', []],
    [JSON_TYPE, '{"user":true}', []],
    [JSON_TYPE, '{"user":{"id":"a"}}', []],
    [JSON_TYPE, '{"messages":[{"user":"a"}]}', []],
    [JSON_TYPE, '["user"]', []],
    [JSON_TYPE, 'no JSON, "user":', []],
    [FORM, `${part('user', 'a')}${part('metadata', '{"user_id":"c"}')}--b--\r\n`, ['a', 'c']],
    [FORM, `${part('litellm_metadata[user]', 'd')}--b--\r\n`, ['d']],
    [FORM, `${part('user', 'a')}--`, []],
    [FORM, `${part('prompt', 'the user')}--b--\r\n`, []],
    ['application/x-www-form-urlencoded', 'user=a%20b&metadata%5Buser_id%5D=c&user=z', ['a b', 'z', 'c']],
  ];
  for (const [contentType, body, users] of cases) {
    it(`are read from ${JSON.stringify(body)}`, () => {
      expect(endUsersOf({ bytes: Buffer.from(body), contentType })).to.deep.equal(users);
    });
  }
});
