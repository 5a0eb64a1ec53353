import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../../hack/harness/scale.ts';
import { escapeJson, unescapeJson } from './encoding.ts';
import { JsonStrings } from './jsonStrings.ts';
import { parseJsonIn, parsingJsonIn } from './segments.ts';

/** The number of JSON strings that contain each place. */
function jsonDepths(text: string, places: readonly number[]): number[] {
  const strings = new JsonStrings();
  return places.map((place, at) => {
    strings.feedAll(text.slice(places[at - 1] ?? 0, place));
    return strings.depth;
  });
}

const texts = (text: string): string[] => parseJsonIn(text).segments.map((segment) => segment.text);

describe('parseJsonIn', () => {
  const cases: [text: string, segments: string[]][] = [
    ['just prose', ['just prose']],
    ['', []],
    ['{"a": "b", "c": [1, -2.5e3, true, null, "d"]}', ['a', 'b', 'c', '1', '-2.5e3', 'd']],
    ['Here: {"a":"b"} and {"c":"d"}.', ['Here: ', 'a', 'b', ' and ', 'c', 'd', '.']],
    ['see [1], {x} and [a](b)', ['see [1], {x} and [a](b)']],
    ['{"a": oops', ['{"a": oops']],
    ['{"a": oops {"b":"c"}', ['{"a": oops ', 'b', 'c']],
    ['["open', ['["open']],
    ['{"a":"x\\n\\u00e9\\"y"}', ['a', 'x\né"y']],
    ['{"a":"say {\\"b\\":\\"c\\"}!"}', ['a', 'say ', 'b', 'c', '!']],
    ['["line\nbreak"]', ['["line\nbreak"]']],
    ['{"a":"\\x"}', ['{"a":"\\x"}']],
    ['{"a":"b"', ['{"a":"b"']],
  ];
  for (const [text, segments] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => expect(texts(text)).to.deep.equal(segments));
  }

  it('finds every string, key and number of any JSON, with the offset of each character', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4, stringUnit: 'binary' }),
        fc.constantFrom(undefined, 1, '\t'),
        (json, indent) => {
          const value = JSON.parse(json) as unknown;
          const text = JSON.stringify([value, ''], undefined, indent);
          const { segments } = parseJsonIn(text);
          // A string with nested JSON is split again: see the cases above.
          const leaves = leavesOf([value]).filter((leaf) => leaf !== '' && !/[[{]/.test(leaf));
          for (const leaf of leaves) expect(segments.map((segment) => segment.text)).to.include(leaf);
          for (const { start, end, text: content, offsets, depth } of segments) {
            const raw = text.slice(start, end);
            expect(unescapeJson(raw, depth)).to.equal(content);
            if (!offsets) expect(raw).to.equal(content);
            else {
              expect(offsets).to.have.length(content.length + 1);
              content.split('').forEach((unit, at) => {
                expect(unescapeJson(text.slice(offsets[at], offsets[at + 1]), depth)).to.equal(unit);
              });
            }
          }
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

describe('JsonStrings', () => {
  // Each bar marks a place. The digit after it is the depth.
  const cases = [
    '|0plain "|0text"',
    '{|0"|1a":|0"|1b|1"|0, "c":["|1d"]|0} "|0',
    '{"a":"{\\"|2b\\":\\"|2c\\"|1}"|0}',
    'Dear {"a":"|1x"} "|0"',
    '{"a":"|1unfinished',
    '{"a" "|0b"}',
    '["a\n|0b"]',
    '{"n":<PERSON_K7Q2RTM4>,"a":"|1x"}',
    '["\\u00|1e9 |1"]',
    // In double quotes of a shell.
    'curl -d "{\\"|2b\\":\\"|2c\\"|1}"|0 x',
    'curl -d "[ \\"|2b\\"]"|0 {"a":"|1"}',
    '{"cmd":"curl -d \\"{\\\\\\"b\\\\\\":\\\\\\"|3c\\\\\\"|2}\\"|1"}|0',
    '"{"|1b":"|1c"}"|0',
    '"{\\$|0"',
    '{\\"b\\":\\"|0c',
    `${'['.repeat(255)}["|1"|0]${']'.repeat(255)}"|0"`,
    // The bracket that is nested too deeply begins another array.
    `${'['.repeat(256)}["|1"|0], "|0"`,
  ];
  for (const marked of cases) {
    it(`returns the depths in ${JSON.stringify(marked)}`, () => {
      const expected = Array.from(marked.matchAll(/\|(\d?)/g), ([, depth]) => Number(depth));
      const text = marked.replace(/\|\d?/g, '');
      let removed = 0;
      const places = Array.from(marked.matchAll(/\|\d?/g), ({ index, 0: bar }) => {
        const place = index - removed;
        removed += bar.length;
        return place;
      });
      expect(jsonDepths(text, places)).to.deep.equal(expected);
    });
  }

  it('depends only on the text before a place', () => {
    const soup = fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ':',
          ',',
          '\\',
          '\\"',
          'a',
          '1',
          'true',
          ' ',
          '<X>',
          '\n',
          '{"a":"',
          '{\\"a\\":\\"',
          '"{\\"a\\":\\"',
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(soup, soup, (text, more) => {
        expect(jsonDepths(text, [text.length])).to.deep.equal(jsonDepths(text + more, [text.length]));
      }),
      { numRuns: runs(5000) },
    );
  });

  it('agrees with the depths of segments', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4, stringUnit: 'binary' }), (json) => {
        const { segments } = parseJsonIn(json);
        const depths = jsonDepths(
          json,
          segments.map(({ start }) => start),
        );
        expect(depths).to.deep.equal(segments.map(({ depth }) => depth));
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('reading JSON in steps', () => {
  const words = `{"a":"${'word '.repeat(100_000)}"}`;
  const cases = {
    'a long text': () => parsingJsonIn(words),
    'many short strings': () => parsingJsonIn(`[${'"\\n",'.repeat(20_000)}1]`),
  };
  for (const [what, work] of Object.entries(cases)) {
    it(`yields often: ${what}`, () => {
      expect([...work()].length).to.be.at.least(10);
    });
  }
});

describe('escapeJson', () => {
  it('is the inverse of unescapeJson at every depth', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
        (value, depth, ascii) => {
          const raw = escapeJson(value, depth, ascii);
          expect(unescapeJson(raw, depth)).to.equal(value);
          if (ascii && depth > 0) expect(raw).to.match(/^[ -~]*$/);
        },
      ),
      { numRuns: runs(3000) },
    );
  });
});

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [JSON.stringify(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [...(Array.isArray(value) ? [] : [key]), ...leavesOf(child)]);
}
