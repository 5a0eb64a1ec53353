import { expect } from 'chai';
import * as read from './readers.ts';

/** A compiled catalogue with pairs of a message and its translation. */
function compiled(pairs: readonly (readonly [string, string])[]): Buffer {
  const head = 28;
  const texts = [...pairs.map(([message]) => message), ...pairs.map(([, translation]) => translation)].map((text) =>
    Buffer.from(text),
  );
  const tables = Buffer.alloc(16 * pairs.length);
  let offset = head + tables.length;
  for (const [at, text] of texts.entries()) {
    tables.writeUInt32LE(text.length, 8 * at);
    tables.writeUInt32LE(offset, 8 * at + 4);
    offset += text.length + 1;
  }
  const numbers = [0x950412de, 0, pairs.length, head, head + 8 * pairs.length, 0, 0];
  const header = Buffer.alloc(head);
  for (const [at, number] of numbers.entries()) header.writeUInt32LE(number, 4 * at);
  return Buffer.concat([header, tables, ...texts.map((text) => Buffer.concat([text, Buffer.of(0)]))]);
}

describe('readers of packages', () => {
  it('read all strings of a value', () => {
    expect(read.stringsOf({ a: 'one', b: ['two', { c: 'three', d: 4, e: null }] })).to.deep.equal([
      'one',
      'two',
      'three',
    ]);
  });

  it('read translations and plural forms of a compiled catalogue, without its header', () => {
    const catalogue = compiled([
      ['', 'Language: de\n'],
      ['%d file\0%d files', '%d Datei\0%d Dateien'],
      ['open', 'öffnen'],
    ]);
    expect(read.translationsOf(catalogue)).to.deep.equal(['%d Datei', '%d Dateien', 'öffnen']);
  });

  it('read the sentences of a conversation and their lines', () => {
    const said = read.conversationsOf('categories:\n- x\nconversations:\n- - Hallo\n  - "Wie geht\n    es?"\n');
    expect(said).to.include.members(['Hallo', 'Wie geht es?', 'Wie geht']);
    expect(said.slice(0, 2)).to.deep.equal(['Hallo', 'Wie geht es?']);
  });

  for (const [what, given, expected] of [
    ['tags', 'a <b>bold</b><br/> word', 'a bold word'],
    ['named entities', '&lt;x&gt; &amp; &quot;y&quot;', '<x> & "y"'],
    ['numbered entities', '&#228;&#xe4;', 'ää'],
    ['unknown entities', '&nothing;', '&nothing;'],
  ] as const)
    it(`read HTML: ${what}`, () => {
      expect(read.withoutTags(given)).to.equal(expected);
    });

  it('split HTML into paragraphs', () => {
    const texts = read.paragraphsOf('<h1>Title</h1><p>One\n two.</p><ul><li>A &amp; B</li></ul>');
    expect(new Set(texts)).to.deep.equal(new Set(['Title', 'One two.', 'A & B', 'A &amp; B']));
  });

  for (const [given, expected] of [
    ['%(name)s has %d of {0}', '3 has 3 of 3'],
    ['{} of {total}', '3 of 3'],
    ['%(key)r stays', '%(key)r stays'],
    ['100 % sure', '100 % sure'],
  ] as const)
    it(`replace placeholders by numbers: "${given}"`, () => {
      expect(read.withNumbers(given)).to.equal(expected);
    });

  it('join lines, with or without non-breaking spaces', () => {
    expect(read.plainLine(' a\n\tb\u00a0! ')).to.equal('a b !');
    expect(read.oneLine(' a\n\tb\u00a0! ')).to.equal('a b\u00a0!');
  });

  it('split text into sentences and into non-blank lines', () => {
    expect(read.sentencesOf('One. Two! Three? Four')).to.deep.equal(['One.', 'Two!', 'Three?', 'Four']);
    expect(read.linesOf('a  \n\n \n\tb\n')).to.deep.equal(['a', '\tb']);
  });
});
