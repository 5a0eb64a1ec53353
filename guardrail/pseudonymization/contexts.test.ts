import { expect } from 'chai';
import { atOnce } from '../eventLoop.ts';
import { isPlain, readingContexts, writeIn } from './contexts.ts';

describe('contexts', () => {
  // Each bar marks a place. The character after it is the context.
  const cases = [
    '|0plain \'|0text\' and "|0text"',
    '{"a":"|1b","c":"{\\"|2d\\":1}"} |0',
    "```sql\nSELECT |0 '|s' || '|s''|s' -- don't |0\n|0\n```\n'|0",
    "~~~~ SQL\n'|s\n~~~\n|s\n~~~~\n|0",
    '```bash\necho "|d \\"|d" \'|q\\\'|0 # don\'t |0\n "|d\n|d"|0\n```',
    "```yaml\na: '|s'\nb: \"|1\"\nc: it's |0\nd: 'x\n|0e: |0 # '|0\n```",
    '```csv\na,"|c""|c",|0\n|0b"|0\n```',
    '```html\n|h<p title="|a" id=\'|a\'|0>|h</p|0>|h a < b |h <X>|h\n```\n|0',
    '\n<!DOCTYPE html>\n|h<p title="|a">|h\n```\n|h',
    '<html lang="|a">|h',
    '<htm>|0 <html>|0',
    "```js\n'|0 <p>|0\n```",
    "    ```sql\n'|0",
    '```sql\n{"a":"|1"}\n\'|s',
  ];
  for (const marked of cases) {
    it(JSON.stringify(marked), () => {
      const expected = Array.from(marked.matchAll(/\|(\w)/g), ([, context]) => context);
      const parts = marked.split(/\|\w/);
      const places = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('').length);
      expect(atOnce(readingContexts(parts.join(''), places))).to.deep.equal(expected);
    });
  }

  const value = 'O\'B "x" \\ $1 `y` <b>&';
  const written: [context: string, text: string][] = [
    ['0', value],
    ['1', 'O\'B \\"x\\" \\\\ $1 `y` <b>&'],
    ['s', 'O\'\'B "x" \\ $1 `y` <b>&'],
    ['c', 'O\'B ""x"" \\ $1 `y` <b>&'],
    ['d', 'O\'B \\"x\\" \\\\ \\$1 \\`y\\` <b>&'],
    ['q', "O'\\''B \"x\" \\ $1 `y` <b>&"],
    ['h', 'O\'B "x" \\ $1 `y` &lt;b&gt;&amp;'],
    ['a', 'O&#39;B &quot;x&quot; \\ $1 `y` &lt;b&gt;&amp;'],
  ];
  for (const [context, text] of written) {
    it(`${context} writes a value as ${text}`, () => expect(writeIn(context, value)).to.equal(text));
  }

  it('write a plain value as it is', () => {
    for (const unit of Array.from({ length: 0xff }, (_, code) => String.fromCharCode(code))) {
      const changes = written.some(([context]) => writeIn(context, unit) !== unit);
      expect(isPlain(unit), unit).to.equal(!changes);
    }
  });

  it('are read in steps', () => {
    const words = `{"a":"${'word '.repeat(100_000)}"}`;
    for (const step of [100_000, 100]) {
      const places = Array.from({ length: words.length / step }, (_, at) => at * step);
      expect([...readingContexts(words, places)].length).to.be.at.least(10);
    }
  });
});
