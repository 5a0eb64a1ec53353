import { expect } from 'chai';
import { builtinAnalyzer } from './evaluate.ts';
import { READABLE_PART, readablePart, spellings, usualTexts } from './spellings.ts';

const analyzer = builtinAnalyzer('confidential');
const signal = new AbortController().signal;
const context = { team: undefined, signal };

describe('values in other spellings', () => {
  it('are many', () => {
    expect(spellings).to.have.length.above(400);
  });

  it('are found in their usual spelling', async () => {
    const found = await analyzer.analyze(
      usualTexts.map(({ text }) => text),
      context,
    );
    const missed = usualTexts.filter((each, index) => readablePart(each, found[index] ?? []) > 0);
    expect(missed.map(({ value }) => value)).to.deep.equal([]);
  });

  it('are found, but for one in twenty', async () => {
    const found = await analyzer.analyze(
      spellings.map(({ text }) => text),
      context,
    );
    const readable = spellings.filter((each, index) => readablePart(each, found[index] ?? []) > READABLE_PART);
    const list = readable.map(({ how, text }) => `${how}: ${text}`).join('\n');
    expect(readable.length / spellings.length, list).to.be.at.most(0.05);
  });

  const innocent: readonly (readonly [what: string, text: string])[] = [
    ['a column of numbers', 'count\n4111\n1111\n1111\n1111\n'],
    ['a table with tabs', 'id\tn\tshare\n1001\t5512\t0.25\n1002\t4873\t0.75\n'],
    ['sums', 'total = 1200+4512+3381; next = 4873+1002+7710'],
    ['powers', 'y = 3**2 + 14**3 - 1000**2'],
    ['versions', 'from 10.2.33 to 10.2.34, and 2024.11.03 to 2024.11.22'],
    ['escapes of code', String.raw`const re = /[\u0041-\u005a]+\x20/; print("\u00e9t\u00e9")`],
    ['encoded addresses', 'see https://example.org/search?q=a%20long%20way&lang=en&page=%32'],
    ['character references', 'if a &lt; b then stop; 5&nbsp;km on&nbsp;foot &mdash; or more'],
    ['tags', '<p>the <b>main</b> point of <i>this</i> list is <code>map</code></p>'],
    ['base64 of data', 'integrity sha512-WiyBqoomrwMdFG1e0kqvASYfnlb0lp8M5o5Fw2OFq1hNZxxcNk8Ik0Xm7LxzBhui'],
    ['soft hyphens', 'the in\u00adter\u00adna\u00adtion\u00adal or\u00adder of things'],
    ['numbers of other scripts', 'في عام ٢٠٢٤ كان العدد ١٢٣٤'],
  ];
  for (const [what, text] of innocent) {
    it(`are not found in ${what}`, async () => {
      const [spans = []] = await analyzer.analyze([text], context);
      const found = spans.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
      expect(found).to.deep.equal([]);
    });
  }
});
