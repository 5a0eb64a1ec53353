import { expect } from 'chai';
import fc from 'fast-check';
import { atScale, runs } from '../../hack/harness/scale.ts';
import { MAX_VALUES, TooManyValuesError } from '../detection/contract.ts';
import type { Pseudonym } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { createAnswerStream, createPausedText, type AnswerOptions, type SavedAnswer } from './answerStream.ts';
import { MAX_HELD, type AnswerCounts, type AnswerStream } from './contract.ts';
import type { Stored } from './encoding.ts';
import { ResponseTooLargeError } from './errors.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { createLabelSet } from './labels.ts';
import { MAX_UNKNOWN } from './limits.ts';
import { looksLikeEnumeration } from './restore.ts';
import { restoreText, scanText } from './testing/atOnce.ts';
import { soup, VALUES } from './testing/answerSoup.ts';

const grammar = createGrammar(createLabelSet([]).labels);
const KINDS: readonly TextKind[] = ['text', 'thought', 'arguments', 'either'];
/** @returns what each push and the end give */
async function streamed(pieces: readonly string[], kind: TextKind, answer = answerOf()): Promise<string[]> {
  const text = answer.text(kind);
  const outputs: string[] = [];
  for (const piece of pieces) outputs.push(await text.push(piece));
  return [...outputs, await text.end()];
}

function answerOf(options: Partial<AnswerOptions> = {}): AnswerStream {
  return createAnswerStream({ grammar, lookUp, maxBytes: Infinity, ...options });
}

async function lookUp(pseudonyms: ReadonlySet<Pseudonym>): Promise<ReadonlyMap<Pseudonym, Stored>> {
  return new Map([...VALUES].filter(([pseudonym]) => pseudonyms.has(pseudonym)));
}

/** Restores a text, and writes its state as JSON after each piece. @returns the sums, also of enumerations */
async function paused(pieces: readonly string[], kind: TextKind, maxBytes = Infinity) {
  const sum = { text: '', restored: 0, withheld: 0, unknown: 0, isEnumeration: 0 };
  let saved: string | undefined;
  for (const [at, piece] of pieces.entries()) {
    const state = saved === undefined ? undefined : (JSON.parse(saved) as SavedAnswer);
    const one = createPausedText(kind, state, { grammar, lookUp, maxBytes });
    sum.text += await one.push(piece);
    if (at === pieces.length - 1) sum.text += await one.end();
    const { isEnumeration, ...counts } = one.counts();
    for (const name of ['restored', 'withheld', 'unknown'] as const) sum[name] += counts[name];
    if (isEnumeration) sum.isEnumeration++;
    saved = JSON.stringify(one.save());
  }
  return sum;
}

interface Whole extends AnswerCounts {
  readonly text: string;
}

function whole(text: string, kind: TextKind): Whole {
  const scan = scanText(grammar, text);
  const { text: shown, restored, withheld } = restoreText(scan, VALUES, kind);
  const unknown = scan.matches.filter(({ pseudonym, isRare }) => !isRare && !VALUES.has(pseudonym)).length;
  return { text: shown, restored, withheld, unknown, isEnumeration: looksLikeEnumeration([scan], VALUES) };
}

const pieces = fc.oneof(
  fc.constantFrom(1, 2, 3, 4, 1000).map((size) => [size]),
  fc.array(fc.nat(30), { minLength: 1 }),
);

/** Cuts a text into pieces of the given sizes, in turn. Some pieces are empty. */
function split(text: string, sizes: readonly number[]): string[] {
  const parts: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = Math.max(sizes[turn % sizes.length] ?? 0, turn % 2);
    parts.push(text.slice(at, at + size));
    at += size;
  }
  return parts;
}

describe('an answer that arrives in pieces', () => {
  it('gives the text and the counts of the whole answer, for every split of every text of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(soup, pieces, fc.constantFrom(...KINDS), async (text, sizes, kind) => {
        const { text: expected, ...counts } = whole(text, kind);
        const answer = answerOf();
        const outputs = await streamed(split(text, sizes), kind, answer);
        expect(outputs.join(''), JSON.stringify([text, kind])).to.equal(expected);
        expect(answer.counts()).to.deep.equal(counts);
        outputs.reduce((shown, output) => {
          expect(/[\ud800-\udbff]$/.test(shown) && /^[\udc00-\udfff]/.test(output)).to.equal(false);
          return shown + output;
        });
      }),
      { numRuns: runs(10_000) },
    );
  }).timeout(120_000);

  it('gives the same text, counts and limits if its state is written as JSON after each piece', async () => {
    await fc.assert(
      fc.asyncProperty(soup, pieces, fc.constantFrom(...KINDS), async (text, sizes, kind) => {
        const { text: expected, ...counts } = whole(text, kind);
        const { bytes } = restoreText(scanText(grammar, text), VALUES, kind);
        const result = await paused(split(text, sizes), kind, bytes);
        expect(result, JSON.stringify([text, kind])).to.deep.equal({
          text: expected,
          ...counts,
          isEnumeration: Number(counts.isEnumeration),
        });
        if (bytes === 0) return;
        const failure = await paused(split(text, sizes), kind, bytes - 1).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(ResponseTooLargeError);
      }),
      { numRuns: runs(3000) },
    );
  }).timeout(120_000);

  it('counts the guesses of all pieces, and an enumeration once, if its state is written as JSON', async () => {
    const codes = Array.from({ length: MAX_UNKNOWN + 3 }, (_, at) => `<PERSON_A2${String(at).padStart(6, '0')}> `);
    const result = await paused([...codes, '<PERSON_K7Q2RTM4>'], 'text');
    expect(result).to.deep.include({ restored: 0, withheld: 1, unknown: codes.length, isEnumeration: 1 });
    const few = await paused([...codes.slice(0, 5), ...codes.slice(0, 5), '<PERSON_K7Q2RTM4>'], 'text');
    expect(few).to.deep.include({ restored: 1, unknown: 10, isEnumeration: 0 });
  });

  it('exceeds the maximum size exactly if the whole answer does', async () => {
    await fc.assert(
      fc.asyncProperty(soup, pieces, fc.constantFrom(...KINDS), async (text, sizes, kind) => {
        const { bytes } = restoreText(scanText(grammar, text), VALUES, kind);
        expect(await failureOf(split(text, sizes), kind, answerOf({ maxBytes: bytes }))).to.equal(undefined);
        if (bytes === 0) return;
        const failure = await failureOf(split(text, sizes), kind, answerOf({ maxBytes: bytes - 1 }));
        expect(failure).to.be.instanceOf(ResponseTooLargeError);
      }),
      { numRuns: runs(2000) },
    );
  });

  const [anna, phone] = ['<PERSON_K7Q2RTM4>', '[PHONE_NUMBER_AB12CDEF]'];
  const moments: [what: string, kind: TextKind, outputs: [piece: string, output: string][], rest: string][] = [
    [
      'prose',
      'text',
      [
        ['Hello', 'Hello'],
        [' there.', ' there.'],
        ['5 < 6', '5 < 6'],
        ['', ''],
      ],
      '',
    ],
    [
      'a pseudonym',
      'text',
      [
        ['Hi <PER', 'Hi '],
        ['SON_K7Q2RTM', ''],
        ['4', ''],
        ['>!', 'Anna!'],
      ],
      '',
    ],
    [
      'a lost bracket',
      'text',
      [
        ['<PERSON_K7Q2RTM4', ''],
        [' ', ''],
        ['is', 'Anna is'],
      ],
      '',
    ],
    ['a lost bracket at the end', 'thought', [["<PERSON_K7Q2RTM4's", '']], "Anna's"],
    [
      'what only looks like a pseudonym',
      'text',
      [
        ['<PERSON', ''],
        [' is', ''],
        ['!', '<PERSON is!'],
        ['(', ''],
      ],
      '(',
    ],
    [
      'a surrogate pair',
      'text',
      [
        ['a\ud83d', 'a'],
        ['\ude00', '😀'],
        ['\ud83d', ''],
      ],
      '\ud83d',
    ],
    [
      'a pair of a value and text',
      'text',
      [
        ['<SECRET_K7Q2RTM4>', '{"a":"['],
        ['\ude00', '\ud83d\ude00'],
      ],
      '',
    ],
    [
      'a string in arguments',
      'arguments',
      [
        ['{"to":"', '{"to":'],
        [`${anna}"`, '"Anna'],
        ['}', '"}'],
      ],
      '',
    ],
    [
      'a number in arguments',
      'arguments',
      [
        ['{"n":"', '{"n":'],
        [phone, ''],
        ['"', '4915112345678'],
        ['}', '}'],
      ],
      '',
    ],
    [
      'a number in arguments in arguments',
      'arguments',
      [
        ['{"a":"{\\"n\\":\\', '{"a":"{\\"n\\":'],
        ['"', ''],
        [`${phone}\\`, ''],
        ['"}', '4915112345678}'],
        ['"}', '"}'],
      ],
      '',
    ],
    ['a value in JSON', 'arguments', [['{"a":"<PERSON_QQ12CDEF>', '{"a":"O\\"Brien\\n\\\\']], ''],
    [
      'an address that is loaded',
      'text',
      [
        ['![x](//e/?', '![x](//e/?'],
        [anna, anna],
        [') ', ') '],
        [anna, 'Anna'],
      ],
      '',
    ],
    [
      'an address',
      'address',
      [
        ['//e/?', '//e/?'],
        [anna, anna],
      ],
      '',
    ],
  ];
  for (const [what, kind, outputs, rest] of moments) {
    it(`gives as much as possible of ${what}`, async () => {
      const parts = outputs.map(([piece]) => piece);
      expect(await streamed(parts, kind)).to.deep.equal([...outputs.map(([, output]) => output), rest]);
    });
  }

  it('processes overlapping calls in order', async () => {
    const text = answerOf().text('text');
    const outputs = await Promise.all([
      ...split(`Hi ${anna} and ${anna}`, [1]).map((piece) => text.push(piece)),
      text.end(),
    ]);
    expect(outputs.join('')).to.equal('Hi Anna and Anna');
  });
});

async function failureOf(parts: readonly string[], kind: TextKind, answer: AnswerStream): Promise<unknown> {
  return streamed(parts, kind, answer).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('the texts of an answer', () => {
  const tags = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, at) => `<PERSON_AAAA${1000 + from + at}>`);

  it('look up the pseudonyms of each piece together, as the store has them then', async () => {
    const asked: string[][] = [];
    const answer = answerOf({
      lookUp: (pseudonyms) => {
        asked.push([...pseudonyms]);
        return lookUp(pseudonyms);
      },
    });
    const anna = '<PERSON_K7Q2RTM4>';
    const wrong = tags(1).join('');
    await streamed(['Hello, person (1) ', `${anna}${wrong}${anna} `, anna], 'text', answer);
    await streamed([`["${anna}","`, `${wrong}","<ID_K7Q2RTM4>"]`], 'arguments', answer);
    expect(asked).to.deep.equal([[anna, wrong], [anna], [anna], [wrong, '<ID_K7Q2RTM4>']]);
    expect(answer.counts()).to.deep.equal({ restored: 5, withheld: 0, unknown: 2, isEnumeration: false });
  });

  it('are not restored any more after an erasure, which makes no search of them', async () => {
    let isErased = false;
    const answer = answerOf({
      lookUp: (pseudonyms) => (isErased ? Promise.resolve(new Map()) : lookUp(pseudonyms)),
    });
    const text = answer.text('text');
    const anna = '<PERSON_K7Q2RTM4>';
    expect(await text.push(`Hi ${anna}, `)).to.equal('Hi Anna, ');
    isErased = true;
    expect(await text.push(`dear ${anna}, `.repeat(MAX_UNKNOWN + 1))).to.equal(
      `dear ${anna}, `.repeat(MAX_UNKNOWN + 1),
    );
    expect(answer.counts()).to.include({ restored: 1, unknown: MAX_UNKNOWN + 1, isEnumeration: false });
  });

  it('give nothing more after a failure of the store', async () => {
    const failure = new StoreUnavailableError('down');
    const answer = answerOf({
      lookUp: (pseudonyms) =>
        pseudonyms.has('<ID_K7Q2RTM4>' as Pseudonym) ? Promise.reject(failure) : lookUp(pseudonyms),
    });
    const text = answer.text('text');
    expect(await text.push('Hi <PERSON_K7Q2RTM4>, ')).to.equal('Hi Anna, ');
    for (const result of await Promise.allSettled([text.push('your <ID_K7Q2RTM4>'), text.push(' is'), text.end()])) {
      expect(result).to.deep.equal({ status: 'rejected', reason: failure });
    }
  });

  it('give nothing more after a failure that waits for nothing', async () => {
    const text = answerOf({ maxBytes: 5 }).text('text');
    expect(text.push('12345')).to.equal('12345');
    for (const result of await Promise.allSettled([text.push('6'), text.push('<PERS'), text.end()])) {
      expect(result).to.have.property('reason').that.is.instanceOf(ResponseTooLargeError);
    }
    expect(await Promise.allSettled([text.end()])).to.have.nested.property('[0].status', 'rejected');
  });

  it('share the maximum size and the maximum number of values', async () => {
    const sized = answerOf({ maxBytes: 10 });
    expect(await failureOf(['12345'], 'text', sized)).to.equal(undefined);
    expect(await failureOf(['1234', '56'], 'arguments', sized)).to.be.instanceOf(ResponseTooLargeError);
    const counted = answerOf();
    const half = '<PERSON_K7Q2RTM4>'.repeat(MAX_VALUES / 2);
    for (const _ of [1, 2]) expect(await failureOf([half], 'text', counted)).to.equal(undefined);
    expect(await failureOf(['<PERSON_K7Q2RTM4>'], 'thought', counted)).to.be.instanceOf(TooManyValuesError);
  });

  it('restore nothing behind the guess that makes them a search, for every split', async () => {
    const guesses = tags(MAX_UNKNOWN + 1);
    const known = '<PERSON_K7Q2RTM4>';
    const text = [known, ...guesses.toSpliced(MAX_UNKNOWN, 0, known), known].join(' ');
    const expected = ['Anna', ...guesses.toSpliced(MAX_UNKNOWN, 0, 'Anna'), known].join(' ');
    for (const size of [1, 7, 100, text.length]) {
      const answer = answerOf();
      expect((await streamed(split(text, [size]), 'text', answer)).join('')).to.equal(expected);
      expect((await streamed([known], 'arguments', answer)).join('')).to.equal(known);
      const counts = { restored: 2, withheld: 2, unknown: MAX_UNKNOWN + 1, isEnumeration: true };
      expect(answer.counts()).to.deep.equal(counts);
    }
  });

  it('do not count an incomplete guess', async () => {
    const answer = answerOf();
    await streamed([...tags(MAX_UNKNOWN), '<PERSON_AAAA77'], 'text', answer);
    await streamed(['<PERSON_AAAAA777'], 'text', answer);
    expect(answer.counts()).to.include({ unknown: MAX_UNKNOWN + 1, isEnumeration: false });
  });
});

describe('the cost of an answer that arrives in pieces', () => {
  /** Texts that keep as much open as possible. */
  const hostile = [
    ...[
      'Hello there, this is prose. ',
      '<',
      '(PERSON ',
      '<EMAIL ADDRESS ',
      '<PERSON_K7Q2RTM4',
      '<PERSON_K7Q2RTM4  ',
      '\\',
    ],
    ...[
      '"',
      '\\"',
      '["',
      '{"a":',
      '{"a":"',
      '[',
      '![',
      '![a](',
      '<a b="',
      '<a b=\\"',
      ' b=\\"',
      '`![',
      '<style>',
      '😀',
    ],
    ...[
      '(PERSON_K7Q2RTM4',
      '"[PHONE_NUMBER_AB12CDEF]',
      '\ud83d',
      '&lt;credit card expiration ',
      '<a',
      '[x]: /',
      '<PERSON_K7Q2RTM4>',
    ],
  ];

  it('is linear: no character is searched more often in a longer text', async () => {
    /** @returns the number of characters that the grammar reads, in pieces of four */
    const searched = async (text: string): Promise<number> => {
      let count = 0;
      const counting: Grammar = {
        find: (part, from) => {
          count += part.length - Number(from);
          return grammar.find(part, from);
        },
        unfinished: (...call) => grammar.unfinished(...call),
        settled: (...call) => grammar.settled(...call),
      };
      await streamed(split(text, [4]), 'text', answerOf({ grammar: counting }));
      return count;
    };
    expect(await searched('Hello there, this is prose. '.repeat(100))).to.be.lessThan(1.5 * 2800);
    for (const piece of hostile) {
      const count = await searched(piece.repeat(2000 / piece.length));
      expect(await searched(piece.repeat(8000 / piece.length)), piece).to.be.lessThan(4.5 * count);
    }
  });

  it('is bounded in memory, and in what is held back', async () => {
    const pushes = atScale(50, 200);
    for (const kind of KINDS) {
      for (const piece of [...hostile, hostile.join('')]) {
        const text = answerOf({ lookUp: () => Promise.resolve(new Map()) }).text(kind);
        const long = piece.repeat(Math.ceil(200 / piece.length));
        let held = 0;
        for (let at = 0; at < pushes; at++) {
          held += long.length - (await text.push(long)).length;
          expect(held, piece).to.be.within(0, MAX_HELD);
        }
        expect(weightOf(text), piece).to.be.lessThan(3000);
      }
    }
  }).timeout(60_000);

  it('holds back a bounded part of any text', async () => {
    const part = fc.constantFrom(
      '<',
      ' ',
      '  ',
      '\\\\',
      '_',
      'CREDIT',
      'CARD',
      'EXPIRATION',
      'AAAA',
      '7',
      '-',
      '&lt;',
      '"',
      '[',
      '>',
    );
    const unknown = { lookUp: () => Promise.resolve(new Map()) };
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.constantFrom(...KINDS), async (parts, kind) => {
        const text = answerOf(unknown).text(kind);
        let held = 0;
        for (const piece of parts) {
          held += piece.length - (await text.push(piece)).length;
          expect(held).to.be.within(0, MAX_HELD);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** A measure of the memory of a text: the number of values, and the lengths of strings. What texts share is left out. */
function weightOf(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null || seen.has(value)) return 1;
  seen.add(value);
  return Object.entries(value).reduce((sum, [name, child]) => sum + (name === 'answer' ? 0 : weightOf(child, seen)), 1);
}
