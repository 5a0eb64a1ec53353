import { expect } from 'chai';
import fc from 'fast-check';
import { expectLinearTime } from '../../hack/harness/linearTime.ts';
import type { OcrResult, TextLine, TextWord } from './contract.ts';
import { boxAround, type Rectangle } from './geometry.ts';
import { areasOf, readingOrdersOf } from './readingOrders.ts';

const HEIGHT = 20;

/** A line of words, 7 pixels per letter. `+` before a word is a wide gap. */
function line(text: string, top: number, from = 10): TextLine {
  let left = from;
  const placed = text.split(' ').map((written, at) => {
    const [gap, word] = written.startsWith('+') ? [80, written.slice(1)] : [at === 0 ? 0 : 6, written];
    const start = left + gap;
    left = start + 7 * word.length;
    return { text: word, start, end: left };
  });
  const width = left - from;
  return {
    box: { x: from + width / 2, y: top + HEIGHT / 2, width, height: HEIGHT, angle: 0 },
    words: placed.map(({ text: word, start, end }): TextWord => ({
      ...{ text: word, from: (start - from) / width, to: (end - from) / width },
    })),
    isUnread: false,
  };
}

const reading = (...lines: TextLine[]): OcrResult => ({ angle: 0, lines, isAltered: false });
const texts = (...lines: TextLine[]): string[] => readingOrdersOf(reading(...lines)).map(({ text }) => text);

/** The same page, turned around the origin. */
function turned({ lines }: OcrResult, angle: number): OcrResult {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turn = ({ x, y, ...box }: Rectangle): Rectangle => ({
    ...box,
    x: x * cos - y * sin,
    y: x * sin + y * cos,
    angle,
  });
  return { angle, lines: lines.map((one) => ({ ...one, box: turn(one.box) })), isAltered: false };
}

describe('the texts of an image', () => {
  it('include rows across the columns, and blocks of lines below each other', () => {
    const left = [line('Dear Anna', 10), line('Schmidt, please', 34)];
    const right = [line('See also', 12, 200), line('page 7 now', 36, 200)];
    expect(texts(...left, ...right)).to.deep.equal([
      'Dear Anna\tSee also\nSchmidt, please\tpage 7 now\n',
      'Dear Anna\nSchmidt, please\nSee also\npage 7 now\n',
      'Dear Anna: Schmidt, please\nSee also: page 7 now\n',
    ]);
  });

  it('join a label with the value below it, except in a table', () => {
    expect(texts(line('Date of birth', 10), line('15.12.1973', 34))).to.include('Date of birth: 15.12.1973\n');
    expect(texts(line('Name:', 10), line('Anna', 34))).to.include('Name: Anna\n');
    const table = [
      ...[line('Contact', 10), line('Phone', 10, 200), line('Date', 10, 400)],
      ...[line('Anna', 34), line('12', 34, 200), line('15.12.1973', 34, 400)],
    ];
    expect(texts(...table).join('')).to.not.include('Date: 15.12.1973');
    expect(texts(line('7 March', 10), line('12', 34)).join('')).to.not.include('7 March: 12');
    expect(texts(line('Name', 10), line('Anna', 90)).join('')).to.not.include('Name: Anna');
  });

  it('do not depend on how the page is turned', () => {
    const page = reading(line('Name +Phone', 10), line('Anna +12', 34), line('The end', 80));
    const upright = readingOrdersOf(page).map(({ text }) => text);
    for (const angle of [0.3, Math.PI / 2, Math.PI, -Math.PI / 2]) {
      expect(
        readingOrdersOf(turned(page, angle)).map(({ text }) => text),
        String(angle),
      ).to.deep.equal(upright);
    }
  });

  it('take linear time for a page of many lines', async () => {
    await expectLinearTime('lines', 1000, (length) =>
      texts(...Array.from({ length }, (_, at) => line('Anna Schmidt +12', 24 * at))),
    );
  });
});

describe('the areas of a finding', () => {
  it('cover whole words, with one area for adjacent words and another one for the next line', () => {
    const [text] = readingOrdersOf(reading(line('Dear Anna Maria Schmidt,', 10), line('Anna again', 40)));
    const start = text?.text.indexOf('Anna') ?? -1;
    const boxes = (end: number): unknown =>
      text && areasOf(text, { start, end }).map((area) => Object.values(boxAround(area, 0)).map(Math.round));
    expect(boxes(start + 'Anna Maria Schm'.length)).to.deep.equal([[44, 12, 131, 16]]);
    expect(boxes(text?.text.indexOf('again') ?? 0)).to.deep.equal([
      [44, 12, 131, 16],
      [10, 42, 28, 16],
    ]);
  });

  it('leave a wide gap', () => {
    const [text] = readingOrdersOf(reading(line('Anna +Schmidt', 10)));
    expect(text && areasOf(text, { start: 0, end: text.text.length })).to.have.length(2);
  });

  it('cover every word that a span touches, for any input', () => {
    const word = fc.constantFrom('Anna', 'a.b@c.de', 'DE89', '3704', '+y', 'éß', '𝒜');
    const lines = fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        lines,
        fc.nat(100),
        fc.nat(30),
        fc.double({ min: -4, max: 4, noNaN: true }),
        (rows, from, length, angle) => {
          const of = turned(reading(...rows.map((words, at) => line(words.join(' '), 24 * at))), angle);
          for (const text of readingOrdersOf(of)) {
            expect(text.pieces.map((piece) => piece.text).join('')).to.equal(text.text);
            const boxes = areasOf(text, { start: from, end: from + length }).map((area) => boxAround(area, angle));
            let at = 0;
            for (const piece of text.pieces) {
              const isTouched = at < from + length && at + piece.text.length > from;
              at += piece.text.length;
              if (!isTouched) continue;
              for (const { box } of piece.words) {
                const isCovered = boxes.some(
                  (one) =>
                    one.left <= box.left + 1e-6 &&
                    one.top <= box.top + 1e-6 &&
                    one.left + one.width >= box.left + box.width - 1e-6 &&
                    one.top + one.height >= box.top + box.height - 1e-6,
                );
                expect(isCovered).to.equal(true);
              }
            }
          }
        },
      ),
    );
  });
});
