import { expect } from 'chai';
import { atOnce } from '../eventLoop.ts';
import { readingEndUsers } from './bodies.ts';

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
    [JSON_TYPE, '{"user":"\\u001c\\u0085a\\u3000"}', ['a']],
    [JSON_TYPE, '{"user":"\\ufeffa"}', ['\ufeffa']],
    [JSON_TYPE, '{"metadata":"{\\u0022user_id\\u0022:\\u0022c\\u0022}"}', ['c']],
    [JSON_TYPE, '{"metadata":"{\\"user_id\\"\\n:\\"c\\"}"}', ['c']],
    [JSON_TYPE, '{"user":12345678901234567}', ['12345678901234567']],
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
      const { names } = atOnce(readingEndUsers({ bytes: Buffer.from(body), contentType }));
      expect(names).to.deep.equal(users);
    });
  }

  const unreadable: readonly (readonly [type: string, body: Buffer | string, isUnreadable: boolean])[] = [
    [JSON_TYPE, '{"user":"a"}', false],
    [JSON_TYPE, '{"user":7}', false],
    [JSON_TYPE, '{"user":7.0}', true],
    [JSON_TYPE, '{"user":-0}', true],
    [JSON_TYPE, '{"user":1e2}', true],
    [JSON_TYPE, '{"user":123456789012345678901}', true],
    [JSON_TYPE, '{"user":true}', false],
    [JSON_TYPE, '{"user":"a"', true],
    [JSON_TYPE, '\ufeff{"user":"a"}', true],
    [JSON_TYPE, Buffer.from('{"user":"a"}', 'utf16le'), true],
    [JSON_TYPE, Buffer.from('{"user":"a","x":"\xff"}', 'latin1'), true],
    [JSON_TYPE, `{"user":"a","x":${'['.repeat(300)}${']'.repeat(300)}}`, true],
    [JSON_TYPE, '{"metadata":"{\\"user_id\\":\\"c\\",\\"x\\":NaN}"}', true],
    [JSON_TYPE, '{"metadata":"{about the user"}', false],
    ['text/plain', 'The "user": {', false],
    [FORM, `${part('user', 'a')}--b--\r\n`, false],
    [FORM, `${part('metadata', '{"user_id":"c",}')}--b--\r\n`, true],
    [FORM, `${part('user', 'a')}--`, true],
    [FORM, Buffer.from(`${part('user', '\xff')}--b--\r\n`, 'latin1'), true],
    ['application/x-www-form-urlencoded', 'user=\u00e4', true],
    ['application/x-www-form-urlencoded', 'user=%C3%A4', false],
  ];
  for (const [contentType, body, isUnreadable] of unreadable) {
    it(`are ${isUnreadable ? 'not certain' : 'certain'} in ${JSON.stringify(String(body).slice(0, 60))}`, () => {
      expect(atOnce(readingEndUsers({ bytes: Buffer.from(body), contentType })).isUnreadable).to.equal(isUnreadable);
    });
  }
});
