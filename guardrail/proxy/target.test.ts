import { expect } from 'chai';
import { isAdminPath } from './adminRoutes.ts';
import { canonical, parseTarget } from './target.ts';

describe('the target of a request', () => {
  const READ: [raw: string, path: string, query?: string][] = [
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions?api-version=1&x=%2F', '/v1/chat/completions', 'api-version=1&x=%2F'],
    ['/v1/%63hat/completion%73', '/v1/chat/completions'],
    ['/v1beta/models/gemini-2.5-pro%3agenerateContent', '/v1beta/models/gemini-2.5-pro:generateContent'],
    ['/v1/models/f%c3%bcr', '/v1/models/f%C3%BCr'],
    ['/v1/models/a%20b', '/v1/models/a%20b'],
    ['/v1/models/', '/v1/models/'],
    ['/', '/'],
    ['/v1/files?', '/v1/files', ''],
  ];
  for (const [raw, path, query = ''] of READ) {
    it(`${raw} is ${path}`, () => {
      expect(parseTarget(raw)).to.deep.equal({ path, query });
    });
  }

  const REFUSED = [
    '//v1/chat/completions',
    '/v1//chat/completions',
    '/v1/models//',
    '/v1/./chat/completions',
    '/v1/models/../chat/completions',
    '/v1/models/%2e%2e/chat/completions',
    '/v1/models/.%2E/chat/completions',
    '/v1/models/x%2Fchat%2fcompletions',
    '/v1/models/x%5cy',
    '/v1/models\\..\\chat',
    '/v1/chat/completions;x=y',
    '/v1/chat/completions%3Bx',
    '/v1/chat/completions%3Fx',
    '/v1/chat/completions%23',
    '/v1/chat/completions#x',
    '/v1/chat/completions?x#y',
    '/v1/chat/completions%00',
    '/v1/%2563hat',
    '/v1/%zz',
    '/v1/%c',
    '/v1/%c0%af',
    '/v1/für',
    '/v1/a b',
    '/v1/a|b',
    'http://other.example/v1/chat/completions',
    'v1/chat',
    '*',
    '',
  ];
  for (const raw of REFUSED) {
    it(`is refused: ${JSON.stringify(raw)}`, () => {
      expect(() => parseTarget(raw)).to.throw('The request target is ambiguous');
    });
  }

  it('is found without its case and a slash at its end', () => {
    expect(['/V1/Chat/Completions/', '/v1/models', '/'].map(canonical)).to.deep.equal([
      '/v1/chat/completions',
      '/v1/models',
      '/',
    ]);
  });
});

describe('the administrative routes', () => {
  for (const path of [
    '/key/generate',
    '/v2/key/info',
    '/user/list',
    '/health',
    '/health/readiness',
    '/v1/model/info',
    '/v2/login',
  ])
    it(`contain ${path}`, () => {
      expect(isAdminPath(path)).to.equal(true);
    });
  for (const path of [
    '/v1/models',
    '/v1/threads',
    '/key2',
    '/',
    '/v1',
    '/models',
    '/v1beta/models/key:generateContent',
  ])
    it(`do not contain ${path}`, () => {
      expect(isAdminPath(path)).to.equal(false);
    });
});
