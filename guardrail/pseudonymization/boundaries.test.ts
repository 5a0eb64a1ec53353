import { expect } from 'chai';
import { createBlobGuard, isBoundary, urlsIn } from './boundaries.ts';

describe('isBoundary', () => {
  // The bar marks the beginning or end of a value.
  const open = ['|Ann', 'Ann|', 'Hi |Ann', 'Ann|.', "Ann|'s", 'Ann|-Marie', 'user_|Ann', 'Ann|_1', '(|Ann', 'Ann|\n'];
  const openElsewhere = [
    '张三|先生',
    '你好|张三',
    '김철수|는',
    '田中|さん',
    'Anna|さん',
    '先生|Anna',
    'สมชาย|ครับ',
    'Ann|😀',
    '😀|Ann',
    'é|.',
  ];
  const closed = [
    'Ann|ouncement',
    'H|ann',
    'Ann|2',
    '2|Ann',
    'Jos|é',
    'Ann|я',
    'Jose|\u0301',
    'é|s',
    'e\u0301|s',
    '👍|🏽',
    '👩|\u200d👩',
    'สม|\u0e31',
  ];
  const halves = ['\ud83d|\ude00'];

  const placed = (marked: string): boolean => isBoundary(marked.replace('|', ''), marked.indexOf('|'));
  for (const marked of [...open, ...openElsewhere]) {
    it(`allows a boundary at ${marked}`, () => expect(placed(marked)).to.equal(true));
  }
  for (const marked of closed) {
    it(`allows no boundary at ${marked}`, () => expect(placed(marked)).to.equal(false));
  }
  for (const marked of halves) {
    it('allows no boundary inside a surrogate pair', () => expect(placed(marked)).to.equal(false));
  }
});

describe('createBlobGuard', () => {
  const blob = Buffer.from(Array.from({ length: 90 }, (_, at) => (at * 89 + 3) % 256))
    .toString('base64')
    .replace(/=+$/, '');
  const inside = `${blob}/Anna+${blob}`;
  const at = (text: string): [number, number] => [text.indexOf('Anna'), text.indexOf('Anna') + 4];

  it('protects base64 that contains a value by chance', () => {
    expect(createBlobGuard(inside)(...at(inside))).to.equal(true);
  });
  it('allows replacement of a whole run of base64', () => {
    expect(createBlobGuard(inside)(0, inside.length)).to.equal(false);
  });
  for (const text of [
    'Dear Anna',
    '/home/Anna/projects/2024/gateway-guardrail/hack/bench/reports/weekly/summary',
    'https://example.org/customers/Anna/orders/2024/11/21/invoices/Q4/summary/page/12',
    `${blob} Anna ${blob}`,
  ]) {
    it(`does not protect ${text.slice(0, 24)}…`, () => expect(createBlobGuard(text)(...at(text))).to.equal(false));
  }
  it('answers calls about several runs in order', () => {
    const text = `${inside} Anna ${inside} Anna`;
    const breaksBlob = createBlobGuard(text);
    const answers = Array.from(text.matchAll(/Anna/g), ({ index }) => breaksBlob(index, index + 4));
    expect(answers).to.deep.equal([true, false, true, false]);
  });
});

describe('urlsIn', () => {
  it('finds the end of each URL and of its authority', () => {
    const text = 'See https://anna@x.example:8080/p?q=1#f, or ftp://y.example.';
    const urls = urlsIn(text).map(({ start, end, authorityEnd }) => [
      text.slice(start, end),
      text.slice(start, authorityEnd),
    ]);
    expect(urls).to.deep.equal([
      ['https://anna@x.example:8080/p?q=1#f', 'https://anna@x.example:8080'],
      ['ftp://y.example', 'ftp://y.example.'],
    ]);
  });
});
