import { expect } from 'chai';
import { exact, Violation, neverSaw, prefixes, pseudonymized, emailPseudonyms } from './judge.ts';

type Row = readonly [what: string, verdict: () => void, message: RegExp | undefined];

/** Each row is a check and the expected message; undefined if the check passes. */
const ROWS: readonly Row[] = [
  [
    'a clean request',
    () => {
      neverSaw(['{"a":"<P_ABCD>"}'], ['ann@x.org']);
    },
    undefined,
  ],
  [
    'no request at all',
    () => {
      neverSaw([], ['ann@x.org']);
    },
    /never called/,
  ],
  [
    'a real value',
    () => {
      neverSaw(['{}', '{"a":"to ann@x.org"}'], ['bob@x.org', 'ann@x.org']);
    },
    /real value "ann@x.org"/,
  ],
  [
    'a real value in another letter case',
    () => {
      neverSaw(['ANN@X.ORG'], ['ann@x.org']);
    },
    /real value/,
  ],
  [
    'a real value in nested JSON',
    () => {
      neverSaw(['{"a":"{\\"b\\":\\"\\\\\\"ann\\\\\\"\\"}"}'], ['"ann"']);
    },
    /real value/,
  ],
  [
    'an equal answer',
    () => {
      exact(['a', null], ['a', null]);
    },
    undefined,
  ],
  [
    'an unequal answer',
    () => {
      exact('a', 'b');
    },
    /got "\\"a\\"" instead of "\\"b\\""/,
  ],
  [
    'a missing answer',
    () => {
      exact(undefined, 'b');
    },
    /nothing/,
  ],
  [
    'a growing stream',
    () => {
      prefixes(['a', 'ab', 'abc'], 'abc');
    },
    undefined,
  ],
  [
    'a stream with an intermediate text that is not a prefix',
    () => {
      prefixes(['a', 'a<', 'abc'], 'abc');
    },
    /not a prefix of/,
  ],
  [
    'a truncated stream',
    () => {
      prefixes(['a', 'ab'], 'abc');
    },
    /instead of/,
  ],
  [
    'a stream without text',
    () => {
      prefixes([], 'abc');
    },
    /no text/,
  ],
  [
    'pseudonyms instead of values',
    () => {
      pseudonymized('to <EMAIL_ADDRESS_K7Q2RTM4>!', 'to ann@x.org!', ['ann@x.org']);
    },
    undefined,
  ],
  [
    'a real value beside a pseudonym',
    () => {
      pseudonymized('to ann@x.org, <PERSON_AAAAAA22>', 'to ann@x.org, Ann', ['ann@x.org']);
    },
    /real value/,
  ],
  [
    'pseudonyms instead of other words too',
    () => {
      pseudonymized('<PERSON_AAAAAA22> to <EMAIL_ADDRESS_K7Q2RTM4><PERSON_BBBBBB22>', 'Mail to ann@x.org', [
        'ann@x.org',
      ]);
    },
    undefined,
  ],
  [
    'a text without pseudonyms',
    () => {
      pseudonymized('to', 'to ann@x.org', ['ann@x.org']);
    },
    /which is not/,
  ],
  [
    'a different text around a pseudonym',
    () => {
      pseudonymized('for <EMAIL_ADDRESS_K7Q2RTM4>!', 'to ann@x.org!', ['ann@x.org']);
    },
    /which is not/,
  ],
  [
    'a text truncated after a pseudonym',
    () => {
      pseudonymized('to <EMAIL_ADDRESS_K7Q2RTM4>, or', 'to ann@x.org, or bob', ['ann@x.org']);
    },
    /which is not/,
  ],
  [
    'a pseudonym that replaces nothing',
    () => {
      pseudonymized('to ann<PERSON_AAAAAA22>', 'to ann', ['bob']);
    },
    /which is not/,
  ],
  [
    'an answer that is not a text',
    () => {
      pseudonymized(null, 'x', []);
    },
    /instead of a text/,
  ],
];

describe('the judge', () => {
  for (const [what, verdict, message] of ROWS) {
    it(`${message === undefined ? 'accepts' : 'reports'} ${what}`, () => {
      if (message === undefined) verdict();
      else expect(verdict).to.throw(Violation, message);
    });
  }

  it('finds the pseudonyms of e-mail addresses', () => {
    expect(emailPseudonyms('a <PERSON_K7Q2RTM4>, <EMAIL_ADDRESS_AAAAAA22> and <EMAIL_')).to.deep.equal([
      '<EMAIL_ADDRESS_AAAAAA22>',
    ]);
  });
});
