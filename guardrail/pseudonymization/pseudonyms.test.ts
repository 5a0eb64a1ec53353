import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import type { Pseudonym, SessionId } from '../ids.ts';
import { CODE_UNIT, entryOf, lengthen, MAX_CODE, MIN_CODE, Pseudonyms, separate, type Entry } from './pseudonyms.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const session = 's1' as SessionId;
const pseudonyms = new Pseudonyms(key, session);

const entryWith = (digits: string, stored = digits): Entry => entryOf('PERSON', stored, digits);
const names = (entries: readonly Entry[]): string[] => entries.map(({ pseudonym }) => pseudonym).sort();
const none = (): boolean => false;

describe('Pseudonyms', () => {
  it('derives one pseudonym for each combination of session, label, value and key', () => {
    const name = pseudonyms.entry('PERSON', 'Anna').pseudonym;
    expect(name)
      .to.match(new RegExp(`^<PERSON_${CODE_UNIT}{8,}>$`))
      .and.to.equal(new Pseudonyms(key, session).entry('PERSON', 'Anna').pseudonym);
    const others = [
      pseudonyms.entry('PERSON', 'anna'),
      pseudonyms.entry('PERSON', 'Anna '),
      pseudonyms.entry('LOCATION', 'Anna'),
      new Pseudonyms(key, 's2').entry('PERSON', 'Anna'),
      new Pseudonyms(createSecretKey(Buffer.alloc(32, 2)), session).entry('PERSON', 'Anna'),
    ];
    const codes = others.map(({ digits }) => digits);
    expect(new Set([...codes, pseudonyms.entry('PERSON', 'Anna').digits])).to.have.property('size', 6);
    expect(name).to.not.be.oneOf(others.map((entry) => entry.pseudonym));
  });

  it('derives codes with at least one digit and one letter', () => {
    for (let at = 0; at < 5000; at++) {
      const [, code] = /_(.*)>/.exec(pseudonyms.entry('PERSON', `value ${at}`).pseudonym) ?? [];
      expect(code).to.have.length(8);
      expect(code).to.match(/[0-9]/).and.to.match(/[A-Z]/);
    }
  });

  it('distributes codes evenly over the alphabet at each position', () => {
    const runs = 6400;
    const counts = Array.from({ length: 16 }, () => new Map<string, number>());
    for (let at = 0; at < runs; at++) {
      Array.from(pseudonyms.entry('PERSON', `value ${at}`).digits).forEach((digit, place) => {
        counts[place]?.set(digit, (counts[place].get(digit) ?? 0) + 1);
      });
    }
    for (const count of counts) {
      expect(count.size).to.equal(32);
      // 200 of each are expected (the digit-and-letter rule changes this by 6), with a standard deviation of 14.
      for (const seen of count.values()) expect(seen).to.be.within(100, 330);
    }
  });

  it('checks whether a value belongs to a pseudonym, at every length', () => {
    let entry = pseudonyms.entry('EMAIL_ADDRESS', 'a@b.example');
    for (let longer = 0; longer < 5; longer++) {
      expect(pseudonyms.isCodeOf(entry.pseudonym, 'a@b.example')).to.equal(true);
      expect(pseudonyms.isCodeOf(entry.pseudonym, 'c@d.example')).to.equal(false);
      entry = lengthen(entry);
    }
    expect(pseudonyms.isCodeOf('<PERSON_ABC12345>' as Pseudonym, 'a@b.example')).to.equal(false);
  });
});

describe('the spellings of a number', () => {
  const spellings: [label: string, same: string, others: string[]][] = [
    ['CREDIT_CARD', '4242424242424242', ['4242 4242 4242 4242', '4242-4242-4242-4242', '4242\u00a04242 42424242']],
    ['PHONE_NUMBER', '+4915112345678', ['0049 151 12345678', '+49 (0)151 / 123-456-78', '+49.151.12345678']],
    ['IBAN_CODE', 'DE89370400440532013000', ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000']],
  ];
  for (const [label, same, others] of spellings) {
    it(`have one code in ${label}, with an ending of their own`, () => {
      const { pseudonym } = pseudonyms.entry(label, same);
      expect(pseudonym).to.have.length(label.length + 11);
      const names = others.map((other) => pseudonyms.entry(label, other).pseudonym);
      expect(new Set([pseudonym, ...names])).to.have.property('size', others.length + 1);
      for (const [at, other] of others.entries()) {
        const name = names[at] ?? pseudonym;
        expect(name.slice(0, -3)).to.equal(pseudonym.slice(0, -1));
        expect(pseudonyms.isCodeOf(name, other)).to.equal(true);
        expect(pseudonyms.isCodeOf(name, same)).to.equal(false);
        // The shared code alone is that of the number.
        expect(pseudonyms.isCodeOf(pseudonym, other)).to.equal(false);
      }
    });
  }

  it('that earlier versions have sent are restored', () => {
    // Derived by the first release.
    const earlier = '<CREDIT_CARD_P355Z1PM>' as Pseudonym;
    expect(pseudonyms.isCodeOf(earlier, '4242 4242 4242 4242')).to.equal(true);
  });

  it('are those of this kind only', () => {
    for (const [label, one, other] of [
      ['PERSON', 'Anna', 'An na'],
      ['PHONE_NUMBER', '555 CALL now!', '555CALLnow!'],
      ['US_SSN', '123-45-6789', '123456789'],
    ] as const) {
      const codes = [one, other].map((value) => pseudonyms.entry(label, value).digits.slice(0, MIN_CODE));
      expect(codes[0]).to.not.equal(codes[1]);
    }
  });
});

describe('separate', () => {
  const a = entryWith('ABC12345DEFGHJKM');
  const b = entryWith('ABC12345DXFGHJKM');
  const c = entryWith('ZZZ99999DEFGHJKM');

  it('keeps entries without collision', () => {
    expect(names(separate([a, c], none))).to.deep.equal(['<PERSON_ABC12345>', '<PERSON_ZZZ99999>']);
  });

  it('lengthens the later entry of a collision', () => {
    expect(separate([a, c, b], none).map(({ pseudonym }) => pseudonym)).to.deep.equal([
      '<PERSON_ABC12345>',
      '<PERSON_ZZZ99999>',
      '<PERSON_ABC12345D>',
    ]);
    expect(separate([b, a], none).map(({ pseudonym }) => pseudonym)).to.deep.equal([
      '<PERSON_ABC12345>',
      '<PERSON_ABC12345D>',
    ]);
  });

  it('avoids codes that occur in the text', () => {
    const taken = new Set(['ABC12345', 'ABC12345D']);
    expect(names(separate([a], (code) => taken.has(code)))).to.deep.equal(['<PERSON_ABC12345DE>']);
  });

  it('throws if two codes collide at every length', () => {
    const others = Array.from({ length: MAX_CODE - MIN_CODE + 1 }, (_, at) => entryWith(a.digits, `another ${at}`));
    expect(() => separate([a, ...others], none)).to.throw('collide at every length');
  });
});
