import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import { withMargins } from './boxes.ts';
import type { Box, Line, OcrResult, Word } from './contract.ts';
import { boxesOf, readingOrdersOf } from './readingOrders.ts';

const HEIGHT = 12;

/** A line of OCR words, 7 pixels per letter. `+` before a word is a wide gap, `~` a hardly visible one. */
function line(text: string, top: number, from = 10): Line {
  let left = from;
  return text.split(' ').map((written, at): Word => {
    const [gap, word] = written.startsWith('+')
      ? [80, written.slice(1)]
      : written.startsWith('~')
        ? [2, written.slice(1)]
        : [at === 0 ? 0 : 6, written];
    const box = { left: left + gap, top, width: 7 * word.length, height: HEIGHT };
    left = box.left + box.width;
    return { text: word, box };
  });
}

const reading = (...passes: (readonly Line[])[]): OcrResult => ({ passes, isAltered: false });
const texts = (...lines: Line[]): string[] => readingOrdersOf(reading(lines)).map(({ text }) => text);

/** The boxes of the first occurrence of a value in each text. */
function boxesFor(of: OcrResult, value: string): Box[] {
  return readingOrdersOf(of).flatMap((text) => {
    const start = text.text.indexOf(value);
    return start < 0 ? [] : boxesOf(text, { start, end: start + value.length });
  });
}

describe('the texts of an image', () => {
  it('include the OCR order and rows across the columns', () => {
    const left = [line('Name', 10), line('Phone', 40)];
    const right = [line('Anna', 12, 200), line('12', 42, 200)];
    expect(texts(...left, ...right)).to.include.members(['Name\nPhone\nAnna\n12\n', 'Name\tAnna\nPhone\t12\n']);
  });

  it('combine words of all passes into rows', () => {
    const all = readingOrdersOf(reading([line('Anna', 10)], [line('Schmidt', 11, 50)])).map(({ text }) => text);
    expect(all).to.include('Anna Schmidt\n');
  });

  const CORRECTED: readonly (readonly [what: string, read: string, corrected: string])[] = [
    ['a space within an address', 'to robert. ~miller@example.com now', 'robert.miller@example.com'],
    ['a copyright sign instead of an at sign', 'to robert©example.com now', 'someone@example.org'],
    ['an address without a dot', 'to robert@examplecom now', 'someone@example.org'],
    ['letters instead of digits', 'call 9Ol820 now', '901820'],
    ['a letter in an account number', 'IBAN DEB9 3704 0044 0532 0130 00 is', 'DE89370400440532013000'],
    ['an excess digit in an account number', 'to DE893704004408532013000 now', 'DE89370400440532013000'],
    ['a wrong digit in a card number', 'card 4111 1111 1171 1111 paid', '4111111111111111'],
  ];
  for (const [what, read, corrected] of CORRECTED) {
    it(`correct ${what}`, () => {
      expect(texts(line(read, 10)).join('')).to.include(corrected);
    });
  }

  const UNCHANGED: readonly (readonly [what: string, read: string])[] = [
    ['a valid address', 'to robert@example.com now'],
    ['a valid account number', 'to DE89 3704 0044 0532 0130 00 now'],
    ['a valid card number', 'card 4111 1111 1111 1111 paid'],
    ['adjacent years', 'in 2019 2020 2021 2022 we'],
    ['columns of numbers', '4500 +3200 +5100 +6100'],
    ['a handle and a copyright sign', 'by @anna ©2024 Example'],
    ['the end of a sentence', 'the goods. They come'],
    ['prose', 'Please call me at 5 in room B2 or S3.'],
  ];
  for (const [what, read] of UNCHANGED) {
    it(`leave ${what} unchanged`, () => {
      const plain = read.replace(/[+~](?=\S)/g, '');
      for (const text of texts(line(read, 10))) expect(text.trim().split(/\s+/).join(' ')).to.equal(plain);
    });
  }

  it('take linear time for any input', async () => {
    const units = ['1', 'A1', 'AB', 'a', 'a.', '.', '@', '©', 'a©', '(©', 'a@b.', '4', '4-', 'é', '𝒜', 'a(', '|', 'O1'];
    const shapes = [
      (unit: string, length: number) => `AB${unit.repeat(length)}x`,
      (unit: string, length: number) => `${unit.repeat(30)} `.repeat(length / 20).trim(),
      (unit: string, length: number) => `AB12 ${unit.repeat(4)} `.repeat(length / 7).trim(),
    ];
    for (const unit of units)
      await expectLinearTime(unit, 4000, (length) =>
        texts(...shapes.map((shape, at) => line(shape(unit, length), 20 * at))),
      );
  });
});

describe('the boxes of a finding', () => {
  it('cover whole words, with one box for adjacent words and another one for the next line', () => {
    const of = reading([line('Dear Anna Maria Schmidt,', 10), line('Anna again', 40)]);
    const text = readingOrdersOf(of)[0];
    const start = text?.text.indexOf('Anna') ?? -1;
    const found = text && boxesOf(text, { start: start + 1, end: start + 'Anna Maria Schm'.length });
    expect(found).to.deep.equal([{ left: 44, top: 10, width: 131, height: HEIGHT }]);
    const over = text && boxesOf(text, { start, end: text.text.indexOf('again') });
    expect(over).to.have.length(2);
  });

  it('cover all words that a corrected value consists of', () => {
    const of = reading([line('to DEB9 3704 0044 0532 0130 00 now', 10)]);
    const [box] = boxesFor(of, 'DE89370400440532013000');
    expect(box).to.deep.equal({ left: 30, top: 10, width: 22 * 7 + 5 * 6, height: HEIGHT });
  });

  it('cover every word that a span touches, for any input', () => {
    const word = fc.constantFrom('Anna', 'a.b@c.de', 'DE89', '3704', '4111', '~x', '+y', '©z.de', '9O1', 'éß', '𝒜');
    const lines = fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lines, fc.nat(100), fc.nat(30), (rows, from, length) => {
        const of = reading(rows.map((words, at) => line(words.join(' '), 20 * at)));
        for (const text of readingOrdersOf(of)) {
          expect(text.pieces.map((piece) => piece.text).join('')).to.equal(text.text);
          let at = 0;
          for (const piece of text.pieces) {
            const isTouched = at < from + length && at + piece.text.length > from;
            at += piece.text.length;
            if (!isTouched) continue;
            const boxes = boxesOf(text, { start: from, end: from + length });
            for (const { box } of piece.words) {
              const isCovered = boxes.some(
                (one) =>
                  one.left <= box.left &&
                  one.top <= box.top &&
                  one.left + one.width >= box.left + box.width &&
                  one.top + one.height >= box.top + box.height,
              );
              expect(isCovered).to.equal(true);
            }
          }
        }
      }),
    );
  });

  it('get a margin that ends before the next word', () => {
    const of = reading([line('Dear Anna ~now', 10)]);
    const [, anna] = of.passes[0]?.[0] ?? [];
    const [box] = withMargins(anna ? [anna.box] : [], of);
    expect(box?.left).to.be.within(40, 43);
    expect((box?.left ?? 0) + (box?.width ?? 0)).to.be.within(73, 74);
    expect(box?.top).to.equal(8);
  });
});
