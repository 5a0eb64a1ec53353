import { expect } from 'chai';
import fc from 'fast-check';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import type { CallContext, ResponseDocument, ResponseOutcome } from './contract.ts';
import type { Stored } from './encoding.ts';
import { createGrammar, type Grammar } from './grammar.ts';
import { GrowingAnswers, type GrowingAnswersOptions } from './growingAnswers.ts';
import { createLabelSet } from './labels.ts';
import { findPseudonyms, restore } from './response.ts';
import { soup, VALUES } from './testing/answerSoup.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from './testing/testGuard.ts';

const GRAMMAR = createGrammar(createLabelSet([]).labels);
const SESSION = 'session' as SessionId;
const call = callBy();

interface Step {
  readonly document: ResponseDocument;
  readonly values?: ReadonlyMap<Pseudonym, Stored>;
  readonly maxBytes?: number;
}

/** Restores an answer as the guard does. @returns the outcome, or the name of the error */
async function outcomeOf(
  { document, values = VALUES, maxBytes = Infinity }: Step,
  answers?: GrowingAnswers,
  grammar = GRAMMAR,
): Promise<ResponseOutcome | string> {
  try {
    const growing = answers?.textsOf(document, SESSION, call, grammar);
    const found = await findPseudonyms(document, grammar, growing);
    return await restore(SESSION, document, found, { values, growing }, maxBytes);
  } catch (error) {
    return (error as Error).name;
  }
}

const known = (names: readonly Pseudonym[]): ReadonlyMap<Pseudonym, Stored> =>
  new Map([...VALUES].filter(([pseudonym]) => names.includes(pseudonym)));
const someValues = fc.oneof(fc.constant(VALUES), fc.subarray([...VALUES.keys()]).map(known));

/** Counts the code units that are searched for pseudonyms. */
function counted(): { grammar: Grammar; searched: () => number } {
  let units = 0;
  const find: Grammar['find'] = (text, from = 0) => {
    units += text.length - from;
    return GRAMMAR.find(text, from);
  };
  const grammar: Grammar = {
    find,
    unfinished: (...parameters) => GRAMMAR.unfinished(...parameters),
    settled: (...parameters) => GRAMMAR.settled(...parameters),
  };
  return { grammar, searched: () => units };
}

const SENTENCE = 'Please ask <PERSON_K7Q2RTM4> about the invoice of last month. ';
const TEXT = SENTENCE.repeat(100);
const beginnings = (text: string, step: number): string[] =>
  Array.from({ length: Math.floor(text.length / step) }, (_, at) => text.slice(0, (at + 1) * step));

describe('growing answers', () => {
  it('are restored as without a memory, for every text, every growth and every change of what the session knows', async () => {
    const growth = fc.record({ text: soup, step: fc.integer({ min: 1, max: 40 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(growth, { minLength: 1, maxLength: 3 }),
        fc.array(someValues),
        async (growths, changes) => {
          const answers = new GrowingAnswers({ minLength: 0 });
          const texts = growths.flatMap(({ text, step }) => [...beginnings(text, step), text]);
          for (const [at, text] of texts.entries()) {
            const values = changes[at % (changes.length * 4)] ?? VALUES;
            const step = { document: { texts: [text] }, values };
            expect(await outcomeOf(step, answers)).to.deep.equal(await outcomeOf(step));
          }
        },
      ),
    );
  });

  it('are restored as without a memory, with several choices and with any limit of their size', async () => {
    const choices = fc.array(soup, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(choices, fc.integer({ min: 1, max: 60 }), fc.nat(3000), async (texts, size, maxBytes) => {
        const answers = new GrowingAnswers({ minLength: 0 });
        const longest = Math.max(...texts.map(({ length }) => length));
        for (let end = 0; end < longest + size; end += size) {
          const step = { document: { texts: texts.map((text) => text.slice(0, end)) }, maxBytes };
          expect(await outcomeOf(step, answers)).to.deep.equal(await outcomeOf(step));
        }
      }),
    );
  });

  it('are restored as without a memory where a later text has another end', async () => {
    const sequences: readonly (readonly string[])[] = [
      ['<<', '<PERSON_K7Q2RTM4>'],
      ['<PERSON_K7Q2RTM4<', '<PERSON_K7Q2RTM4>'],
      ['<PERSON_K7Q2RTM4<', '<PERSON_K7Q2RTM4A1>'],
    ];
    const check = async (texts: readonly string[]): Promise<void> => {
      const answers = new GrowingAnswers({ minLength: 0 });
      for (const text of texts) {
        const step = { document: { texts: [text] } };
        expect(await outcomeOf(step, answers), text).to.deep.equal(await outcomeOf(step));
      }
    };
    for (const texts of sequences) await check(texts);
    const ends = fc.array(fc.tuple(fc.nat(), soup), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(soup, ends, (text, changes) =>
        check([text, ...changes.map(([end, other]) => text.slice(0, end % (text.length + 1)) + other), text]),
      ),
    );
  });

  it('are restored as without a memory where a later value depends on JSON strings of the beginning', async () => {
    const answers = new GrowingAnswers({ minLength: 0 });
    for (const text of beginnings('{"a":"<PERSON_K7Q2RTM4> and [PERSON_QQ12CDEF]"}', 1)) {
      const step = { document: { texts: [text] } };
      expect(await outcomeOf(step, answers)).to.deep.equal(await outcomeOf(step));
    }
  });

  it('are searched once, and not again with each call', async () => {
    const { grammar, searched } = counted();
    const answers = new GrowingAnswers();
    for (const text of beginnings(TEXT, 20)) await outcomeOf({ document: { texts: [text] } }, answers, grammar);
    // The beginning below the least length is searched at each call; so is what a pseudonym may continue.
    expect(searched()).to.be.lessThan(20 * TEXT.length);
    const withoutMemory = counted();
    for (const text of beginnings(TEXT, 20))
      await outcomeOf({ document: { texts: [text] } }, undefined, withoutMemory.grammar);
    expect(withoutMemory.searched()).to.be.greaterThan(100 * TEXT.length);
  });

  interface Other {
    readonly document?: ResponseDocument;
    readonly session?: SessionId;
    readonly context?: CallContext;
    readonly grammar?: Grammar;
  }

  /** The code units that are searched for a text after its beginning was restored. */
  async function searchedAfter(
    beginning: string,
    change: (answers: GrowingAnswers) => Other,
    options: GrowingAnswersOptions = {},
  ): Promise<number> {
    const { grammar, searched } = counted();
    const answers = new GrowingAnswers(options);
    const first = { texts: [beginning] };
    const growing = answers.textsOf(first, SESSION, call, grammar);
    await restore(SESSION, first, await findPseudonyms(first, grammar, growing), { values: VALUES, growing }, Infinity);
    const before = searched();
    const {
      document = { texts: [TEXT] },
      session = SESSION,
      context = call,
      grammar: other = grammar,
    } = change(answers);
    await findPseudonyms(document, other, answers.textsOf(document, session, context, other));
    return searched() - before;
  }

  const half = TEXT.slice(0, TEXT.length / 2);
  const others: Record<string, Other> = {
    'another beginning': { document: { texts: [`X${TEXT.slice(1)}`] } },
    'another session': { session: 'other' as SessionId },
    'another call': { context: callBy({ callId: 'other' }) },
    'a call without an id': { context: callBy({ callId: '' }) },
    'another place among the choices': { document: { texts: ['', TEXT] } },
    'a caller to whom not everything is shown': { context: { ...call, mayShow: () => true } },
    'an answer with tool calls': { document: { texts: [TEXT], toolCalls: [] } },
  };
  for (const [what, change] of Object.entries(others)) {
    it(`do not continue for ${what}`, async () => {
      expect(await searchedAfter(half, () => change)).to.equal(TEXT.length);
    });
  }

  it('continue otherwise', async () => {
    expect(await searchedAfter(half, () => ({}))).to.be.lessThan(TEXT.length - half.length + 300);
  });

  it('do not continue with other types of pseudonyms', async () => {
    const other = counted();
    await searchedAfter(half, () => ({ grammar: other.grammar }));
    expect(other.searched()).to.equal(TEXT.length);
  });

  it('do not continue for lone surrogates, which have one digest', async () => {
    const lone = (unit: string): string => `${half}${unit}${half}`;
    expect(await searchedAfter(lone('\ud83d'), () => ({ document: { texts: [`${lone('\ud83e')}${half}`] } }))).to.equal(
      3 * half.length + 1,
    );
  });

  it('do not continue in the middle of a surrogate pair, whose first half has the digest of U+FFFD', async () => {
    const text = `${half}\ud83d\ude00${half}`;
    const searched = await searchedAfter(`${half}\ufffd`, () => ({ document: { texts: [text] } }));
    expect(searched).to.equal(text.length);
  });

  it('are forgotten a minute after their last call', async () => {
    let now = 0;
    const options = { now: () => now };
    const later = (ms: number): Promise<number> =>
      searchedAfter(
        half,
        (answers) => {
          now += ms;
          answers.expire();
          return {};
        },
        options,
      );
    expect(await later(59_000)).to.be.lessThan(TEXT.length);
    expect(await later(60_000)).to.equal(TEXT.length);
  });

  it('take no more memory than their limit, and forget the oldest', async () => {
    const maxBytes = 100_000;
    const answers = new GrowingAnswers({ maxBytes });
    const keep = async (id: number): Promise<unknown> => {
      const document = { texts: [TEXT] };
      const growing = answers.textsOf(document, SESSION, callBy({ callId: `call ${id}` }), GRAMMAR);
      const checkpoint = growing?.checkpointOf(TEXT);
      const found = await findPseudonyms(document, GRAMMAR, growing);
      await restore(SESSION, document, found, { values: VALUES, growing }, Infinity);
      return checkpoint;
    };
    for (let id = 0; id < 20; id += 1) {
      await keep(id);
      expect(answers.size).to.be.within(1, maxBytes);
    }
    expect([(await keep(19)) !== undefined, (await keep(0)) === undefined]).to.deep.equal([true, true]);
    const small = new GrowingAnswers({ maxBytes: 100 });
    await outcomeOf({ document: { texts: [TEXT] } }, small);
    expect(small.size).to.equal(0);
  });

  it('keep no value and no text', async () => {
    const answers = new GrowingAnswers();
    await outcomeOf({ document: { texts: [TEXT] } }, answers);
    const growing = answers.textsOf({ texts: [TEXT] }, SESSION, call, GRAMMAR);
    const kept = JSON.stringify(growing?.checkpointOf(TEXT));
    expect(kept)
      .to.include('<PERSON_K7Q2RTM4>')
      .and.not.match(/Anna|Please|invoice/);
  });
});

describe('a streamed answer', () => {
  const people = createFakeAnalyzer({ Anna: 'PERSON', Bert: 'PERSON' });
  const sentence = 'Please ask Anna and Bert about the invoice of last month. ';

  async function streamOf(context = callBy()) {
    const { guard, store } = createTestGuard(people);
    const sent = await guard.request({ texts: [sentence.repeat(60)] }, context);
    if (sent.action !== 'GUARDRAIL_INTERVENED') throw new Error('Nothing was replaced.');
    const [text = ''] = sent.texts;
    const restored = async (end?: number, other = context): Promise<string | undefined> =>
      (await guard.response({ texts: [text.slice(0, end)] }, other)).texts[0];
    return { guard, store, text, restored };
  }

  it('is restored as it grows', async () => {
    const { text, restored } = await streamOf();
    const whole = sentence.repeat(60);
    for (let end = 100; end < text.length; end += 100) {
      const shown = (await restored(end)) ?? '';
      expect(whole.slice(0, shown.length - 40)).to.equal(shown.slice(0, -40));
    }
    expect(await restored()).to.equal(whole);
  });

  it('shows nothing to another session with the same call id', async () => {
    const { text, restored } = await streamOf();
    expect(await restored()).to.include('Anna');
    expect(await restored(undefined, callBy({ endUser: 'other' }))).to.equal(text);
  });

  it('shows nothing after the session is erased', async () => {
    const subject = 'a'.repeat(32) as SubjectId;
    const context = callBy({ subject });
    const { guard, store, text, restored } = await streamOf(context);
    expect(await restored(5000)).to.include('Anna');
    await store.eraseSession(guard.sessionOf(context.identity));
    expect(await restored()).to.equal(text);
  });
});
