import { expect } from 'chai';
import fc from 'fast-check';
import { atOnce } from '../eventLoop.ts';
import * as engine from './anonymize.ts';
import { PresidioError } from './errors.ts';
import { MAX_OPERATED, type EngineResult } from './operate.ts';

const KEY = 'sixteen byte key';
const SALT = 'a salt of sixteen bytes';

interface Result {
  readonly start: number;
  readonly end: number;
  readonly entity_type: string;
  readonly score: number;
}

const person = (start: number, end: number, score = 0.8): Result => ({ start, end, entity_type: 'PERSON', score });
const url = (start: number, end: number, score = 0.8): Result => ({ ...person(start, end, score), entity_type: 'URL' });

const anonymize = (body: unknown): EngineResult => atOnce(engine.anonymize(body));
const deanonymize = (body: unknown): EngineResult => atOnce(engine.deanonymize(body));

/** The status and the message of a wrong request. */
function failure(call: () => unknown): readonly [status: number, message: string] {
  try {
    call();
  } catch (error) {
    if (error instanceof PresidioError) return [error.status, error.message];
    throw error;
  }
  throw new Error('The request is not wrong.');
}

describe('anonymize', () => {
  const cases: readonly (readonly [
    what: string,
    text: string,
    results: readonly Result[],
    anonymizers: object,
    expected: string,
  ])[] = [
    ['replaces by the type without operators', 'I am Ann.', [person(5, 8)], {}, 'I am <PERSON>.'],
    ['counts code points', '😀 Ann 👩‍👧', [person(2, 5)], {}, '😀 <PERSON> 👩‍👧'],
    [
      'replaces by a new value',
      'I am Ann.',
      [person(5, 8)],
      { PERSON: { type: 'replace', new_value: 'Bob' } },
      'I am Bob.',
    ],
    ['uses DEFAULT for other types', 'Ann', [person(0, 3)], { DEFAULT: { type: 'redact' } }, ''],
    ['keeps a value', 'Ann', [person(0, 3)], { PERSON: { type: 'keep' } }, 'Ann'],
    [
      'masks the end of a value',
      'a😀b',
      [person(0, 3)],
      { PERSON: { type: 'mask', masking_char: '*', chars_to_mask: 2, from_end: true } },
      'a**',
    ],
    [
      'masks no more than a value',
      'Ann',
      [person(0, 3)],
      { PERSON: { type: 'mask', masking_char: '😀', chars_to_mask: 9, from_end: false } },
      '😀😀😀',
    ],
    [
      'hashes a value and its salt',
      'Ann',
      [person(0, 3)],
      { PERSON: { type: 'hash', salt: SALT } },
      'fcb15f0669d63a35d8c16e1371cd4cd3f8a4aa975aed8bc7673a76e427a2b0ea',
    ],
    ['merges results of one type', 'Ann Lee', [person(0, 5), person(3, 7)], {}, '<PERSON>'],
    ['joins results of one type across spaces', 'Ann  Lee', [person(0, 3), person(5, 8)], {}, '<PERSON>'],
    ['does not join across a line break', 'Ann\nLee', [person(0, 3), person(4, 7)], {}, '<PERSON>\n<PERSON>'],
    ['drops a result within another one', 'a@b.com', [person(0, 7), url(2, 7)], {}, '<PERSON>'],
    ['takes the higher score at one place', 'Ann', [person(0, 3, 0.5), url(0, 3, 0.6)], {}, '<URL>'],
    ['replaces both of two results that overlap in part', 'abcdef', [person(0, 4), url(2, 6)], {}, '<PERSON><URL>'],
  ];
  for (const [what, text, analyzer_results, anonymizers, expected] of cases) {
    it(what, () => {
      expect(anonymize({ text, analyzer_results, anonymizers }).text).to.equal(expected);
    });
  }

  it('lists what it replaced from the last to the first, with the members in the order of Presidio', () => {
    const answer = anonymize({ text: 'Ann, 😀, Bob', analyzer_results: [person(0, 3), person(8, 11, 0.7)] });
    expect(JSON.stringify(answer)).to.equal(
      JSON.stringify({
        text: '<PERSON>, 😀, <PERSON>',
        items: [
          { start: 13, end: 21, entity_type: 'PERSON', text: '<PERSON>', operator: 'replace', score: 0.7 },
          { start: 0, end: 8, entity_type: 'PERSON', text: '<PERSON>', operator: 'replace', score: 0.8 },
        ],
      }),
    );
  });

  it('gives equal values different hashes without a salt', () => {
    const { items } = anonymize({
      text: 'Ann, Ann',
      analyzer_results: [person(0, 3), person(5, 8)],
      anonymizers: { DEFAULT: { type: 'hash' } },
    });
    expect(new Set(items.map(({ text }) => text)).size).to.equal(2);
    for (const { text } of items) expect(text).to.match(/^[0-9a-f]{64}$/);
  });

  const wrong: readonly (readonly [body: unknown, status: number, message: RegExp])[] = [
    [{}, 400, /^Invalid request json$/],
    ['Ann', 400, /^Invalid request json$/],
    [{ text: 'Ann' }, 422, /must contain analyzer results$/],
    [{ text: 5, analyzer_results: [] }, 422, /^text must be a string/],
    [{ text: 'Ann', analyzer_results: {} }, 422, /must be an array/],
    [{ text: 'Ann', analyzer_results: [5] }, 422, /must contain objects/],
    [{ text: 'Ann', analyzer_results: [person(0, 4)] }, 422, /start: 0 and end: 4, while text length is only 3/],
    [{ text: 'Ann', analyzer_results: [person(2, 1)] }, 422, /'2' must be smaller than end index '1'/],
    [{ text: 'Ann', analyzer_results: [person(-1, 1)] }, 422, /must be positive/],
    [{ text: 'Ann', analyzer_results: [{ ...person(0, 1), score: undefined }] }, 422, /must contain score/],
    [{ text: 'Ann', analyzer_results: Array.from({ length: 10_001 }, () => person(0, 1)) }, 422, /at most 10000 items/],
    [{ text: 'Ann', analyzer_results: [], anonymizers: { URL: { type: 'custom' } } }, 400, /^Custom type/],
  ];
  for (const [body, status, message] of wrong) {
    it(`refuses ${JSON.stringify(body).slice(0, 90)}`, () => {
      const [actual, text] = failure(() => anonymize(body));
      expect(actual).to.equal(status);
      expect(text).to.match(message);
    });
  }

  it('never repeats what a wrong request contains', () => {
    const secret = 'anna.schmidt@example.com.';
    const operators = [{ type: secret }, { type: 'hash', hash_type: secret }, { type: 'mask', masking_char: secret }];
    for (const operator of [...operators, { type: 'encrypt', key: secret }, { type: 'hash', salt: 'Ann' }]) {
      const body = { text: 'Ann', analyzer_results: [person(0, 3)], anonymizers: { DEFAULT: operator } };
      expect(failure(() => anonymize(body))[1]).to.not.match(/anna|Ann/);
    }
  });

  it('refuses results and new values that would take much more memory than the body', () => {
    const long = { type: 'replace', new_value: 'x'.repeat(1024 * 1024) };
    const analyzer_results = Array.from({ length: MAX_OPERATED / 1024 / 1024 + 1 }, (_, at) =>
      person(2 * at, 2 * at + 1),
    );
    const body = { text: 'a,'.repeat(100), analyzer_results, anonymizers: { DEFAULT: long } };
    expect(failure(() => anonymize(body))).to.deep.equal([
      422,
      'The replaced values are too long together. Split the text.',
    ]);
  });

  it('leaves no character of a result in the text', () => {
    const text = 'abcdefghij'.repeat(3);
    const result = fc
      .tuple(fc.nat(30), fc.nat(30), fc.constantFrom('PERSON', 'URL', 'EMAIL_ADDRESS'), fc.constantFrom(0.1, 0.9))
      .filter(([a, b]) => a !== b)
      .map(([a, b, entity_type, score]) => ({ start: Math.min(a, b), end: Math.max(a, b), entity_type, score }));
    fc.assert(
      fc.property(fc.array(result, { maxLength: 12 }), (analyzer_results) => {
        const redacted = anonymize({ text, analyzer_results, anonymizers: { DEFAULT: { type: 'redact' } } }).text;
        const isCovered = (at: number): boolean => analyzer_results.some(({ start, end }) => start <= at && at < end);
        expect(redacted).to.equal(
          Array.from(text)
            .filter((_, at) => !isCovered(at))
            .join(''),
        );
      }),
    );
  });
});

describe('deanonymize', () => {
  it('restores any text that anonymize has encrypted', () => {
    const key = fc.constantFrom(KEY, KEY.repeat(2), `${KEY}8 bytes.`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), key, (text, cut, password) => {
        const end = cut % (Array.from(text).length + 1);
        const encrypted = anonymize({
          text,
          analyzer_results: [person(0, end)],
          anonymizers: { DEFAULT: { type: 'encrypt', key: password } },
        });
        for (const item of encrypted.items) expect(item.text).to.match(/^[A-Za-z0-9_-]+={0,2}$/);
        const { text: restored } = deanonymize({
          text: encrypted.text,
          anonymizer_results: encrypted.items,
          deanonymizers: { DEFAULT: { type: 'decrypt', key: password } },
        });
        expect(restored).to.equal(text);
      }),
    );
  });

  it('refuses another key, an unknown operator and a missing one', () => {
    const { text, items } = anonymize({
      text: 'Ann',
      analyzer_results: [person(0, 3)],
      anonymizers: { DEFAULT: { type: 'encrypt', key: KEY } },
    });
    const status = (deanonymizers: unknown): number =>
      failure(() => deanonymize({ text, anonymizer_results: items, deanonymizers }))[0];
    expect(status({ DEFAULT: { type: 'decrypt', key: 'short' } })).to.equal(422);
    expect(status({ DEFAULT: { type: 'replace' } })).to.equal(422);
    expect(status({ URL: { type: 'decrypt', key: KEY } })).to.equal(422);
    const cut = { text: text.slice(4), anonymizer_results: [person(0, text.length - 4)] };
    expect(
      failure(() => deanonymize({ ...cut, deanonymizers: { DEFAULT: { type: 'decrypt', key: KEY } } }))[1],
    ).to.equal('A text is not encrypted with this key.');
  });
});
