import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../../hack/harness/linearTime.ts';
import { foldedPartsOf } from './foldedView.ts';

const foldedTexts = (text: string): string[] => foldedPartsOf(text).map((part) => part.text);

describe('the folded view', () => {
  const cases: readonly (readonly [what: string, text: string, folded: string])[] = [
    ['non-breaking, narrow and ideographic spaces', '4111\u00a01111\u202f1111\u30001111', '4111 1111 1111 1111'],
    ['several spaces and tabs between digits', '4111  1111\t1111', '4111 1111 1111'],
    ['line ends between digits', '4111 1111\n  1111', '4111 1111 1111'],
    ['dots between groups of digits', '4111.1111·1111', '4111 1111 1111'],
    ['dashes', '536–22‑8726', '536-22-8726'],
    ['digits of other scripts', '٤١١١ ९१ ４１ 𝟜𝟙', '4111 91 41 41'],
    ['full-width forms and ligatures', 'ａ＠ｂ．ｄｅ ﬁn', 'a@b.de fin'],
    ['decomposed letters', 'Zoe\u0308', 'Zoë'],
    ['invisible characters', 'an\u200bna\u00ad@\u2060b.de\ufeff', 'anna@b.de'],
    ['Cyrillic and Greek letters within Latin words', 'mаrlene.vοss', 'marlene.voss'],
    ['percent encoding', 'J%C3%BCrgen%20a%40b.de', 'Jürgen a@b.de'],
    ['plus signs between digits', '4111+1111', '4111 1111'],
    ['escapes of strings', String.raw`a\u0040b \x40 \\u00fc \u{1f600}`, 'a@b @ ü 😀'],
    ['character references', 'a&#64;b&#x40;c&uuml;&nbsp;d', 'a@b@cü d'],
    ['encoded words of mail headers', '=?UTF-8?Q?J=C3=BCrgen_M?= =?utf-8?b?w7xsbGVy?=', 'Jürgen Müller'],
    ['base64', 'id TWFybGVuZSBWb3NzIDE=', 'id Marlene Voss 1'],
    ['HTML tags', '4111 <b>1111</b><wbr> 1111', '4111 1111 1111'],
    ['emphasis in a value', '4111 **1111** `1111` 11 an**na**', '4111 1111 1111 11 anna**'],
    ['encodings within encodings', '4111%C2%A01111', '4111 1111'],
  ];
  for (const [what, text, folded] of cases) {
    it(`replaces ${what}`, () => {
      expect(foldedTexts(text)).to.deep.equal([folded]);
    });
  }

  const unchanged: readonly (readonly [what: string, text: string])[] = [
    ['plain text', 'Anna Schmidt, Schillerstraße 12, called +49 30 901820-47 about the invoice.'],
    ['composed letters of any script', 'Zoë Ünal, Дмитрий Иванов, 山田太郎, Αθήνα'],
    ['dashes between words', 'London – Paris, the end — or not'],
    ['emphasis around words', 'the **main** point is `foo` and *bar*'],
    ['operators', 'x**2 + a+b - 2*y, a && b, 100% of it'],
    ['identifiers of code', 'createAnalyzerFromOptions(defaultSettings2, MAX_VALUES)'],
    ['paths of Windows', String.raw`C:\users\xenia\update`],
    ['line ends between words', 'one\ntwo\n  Three\n'],
    ['hashes', 'commit 9f2b1c7de8a4b6c0d1e2f3a4b5c6d7e8f9a0b1c2'],
  ];
  for (const [what, text] of unchanged) {
    it(`leaves ${what} unchanged`, () => {
      expect(foldedTexts(text)).to.deep.equal([]);
    });
  }

  it('maps a value to its whole original spelling', () => {
    const text = 'Mail <b>a</b>&#64;b.de now';
    const [part] = foldedPartsOf(text);
    const start = part?.text.indexOf('a@b.de') ?? -1;
    const { difference, ...range } = part?.originalRange(start, start + 'a@b.de'.length) ?? { start: 0, end: 0 };
    expect(text.slice(range.start, range.end)).to.equal('a</b>&#64;b.de');
    expect(difference).to.equal('characters');
  });

  it('maps a part of an encoded word to the whole word', () => {
    const text = 'To: =?UTF-8?Q?Anna_Voss?= today';
    const [part] = foldedPartsOf(text);
    const start = part?.text.indexOf('Voss') ?? -1;
    expect(part?.originalRange(start, start + 4)).to.deep.equal({ start: 4, end: 25, difference: 'characters' });
  });

  it('contains only the surroundings of changes', () => {
    const far = 'word '.repeat(1_000);
    const parts = foldedPartsOf(`${far}a&#64;b${far}c&#64;d${far}`);
    expect(parts).to.have.length(2);
    for (const { text } of parts) expect(text.length).to.be.below(1_000);
  });

  const unit = fc.constantFrom(
    'a', 'Z', '1', '22', ' ', '  ', '\n', '\t', '.', '-', '–', '\u00a0', '\u200b', '\u00ad', '٣', '４', 'é', 'e\u0301', 'а', '😀',
    '%40', '%C3%BC', '%C3', '+', '&#64;', '&uuml;', '&', '\\u00fc', '\\x40', '\\', '<b>', '</b>', '<br>', '**', '`',
    '=?utf-8?Q?a_b?=', 'TWFybGVuZSBWb3NzIDE=',
  ); // prettier-ignore

  it('property: maps ranges in order, and equal characters to themselves', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
        const text = units.join('');
        for (const part of foldedPartsOf(text)) {
          let last = 0;
          for (let at = 0; at < part.text.length; at += 1) {
            const { start, end, difference } = part.originalRange(at, at + 1);
            expect(start).to.be.at.least(0).and.at.most(end);
            expect(end).to.be.at.most(text.length).and.at.least(last);
            last = end;
            if (difference === 'none') expect(text.slice(start, end)).to.equal(part.text[at]);
            const all = part.originalRange(0, part.text.length);
            expect(all.start).to.be.at.most(start);
            expect(all.end).to.be.at.least(end);
          }
        }
      }),
    );
  });

  it('takes linear time for any input', async () => {
    const units = ['a', '1', ' ', '\n', '\t', '&', '&#', '%', '%4', '\\', '\\u', '=?', '=?a?q?', '<b ', '<', '*', '`', '+', '1+', '.', '1.', '\u00a0', '\u00ad', '\u0301', 'а', 'aа', 'Aa1', '1 \n', 'A4/', '&#64;', '<b>']; // prettier-ignore
    for (const each of units)
      await expectLinearTime(JSON.stringify(each), 100_000, (length) =>
        foldedPartsOf(each.repeat(length / each.length)),
      );
  });
});
