import { expect } from 'chai';
import fc from 'fast-check';
import type { Span } from './contract.ts';
import { resolveBeforePolicy, resolveOverlaps } from './spans.ts';

const span = (start: number, end: number, type: string, score = 0.9): Span => ({
  start,
  end,
  type,
  score,
  detector: 'test',
  rule: 'test',
});
const shown = (text: string, spans: readonly Span[]): string[] =>
  resolveOverlaps(text, spans).map(({ start, end, type }) => `${text.slice(start, end)}|${type}`);

describe('resolveOverlaps', () => {
  it('keeps an e-mail address whole despite spans inside it', () => {
    const text = 'write to anna@example.com now';
    expect(
      shown(text, [span(9, 25, 'EMAIL_ADDRESS', 0.5), span(14, 25, 'URL', 0.99), span(9, 13, 'PERSON')]),
    ).to.deep.equal(['anna@example.com|EMAIL_ADDRESS']);
  });

  it('keeps the part of a name that a structured value does not cover', () => {
    const text = 'Anna Schmidt <anna@example.com>';
    expect(shown(text, [span(0, 30, 'PERSON'), span(14, 30, 'EMAIL_ADDRESS')])).to.deep.equal([
      'Anna Schmidt|PERSON',
      'anna@example.com|EMAIL_ADDRESS',
    ]);
  });

  it('takes the first name behind the label of a user name for a part of the name', () => {
    const spans = [span(5, 10, 'USERNAME'), span(5, 16, 'PERSON', 0.5)];
    expect(shown('user=Maria Gomez', spans)).to.deep.equal(['Maria Gomez|PERSON']);
    expect(shown('user=maria-gomez', spans)).to.deep.equal(['maria|USERNAME', 'gomez|PERSON']);
  });

  it('splits a name around a structured value', () => {
    const text = 'aaa 1234567 bbb';
    expect(shown(text, [span(0, 15, 'ORGANIZATION'), span(4, 11, 'US_SSN')])).to.deep.equal([
      'aaa|ORGANIZATION',
      '1234567|US_SSN',
      'bbb|ORGANIZATION',
    ]);
  });

  for (const type of ['PERSON', 'PUBLIC_PERSON', 'LOCATION', 'ORGANIZATION', 'ADDRESS'])
    it(`prefers a structured value to a longer ${type}`, () => {
      expect(shown('aaa 1234567', [span(0, 11, type), span(4, 11, 'US_SSN')])).to.deep.equal([
        `aaa|${type}`,
        '1234567|US_SSN',
      ]);
    });

  it('prefers an address to names and low-score phone numbers, and a high-score phone number to the address', () => {
    const text = 'Anna Street 12345, 555 0199';
    const address = span(0, 27, 'ADDRESS');
    expect(shown(text, [address, span(0, 4, 'PERSON'), span(19, 27, 'PHONE_NUMBER', 0.4)])).to.deep.equal([
      `${text}|ADDRESS`,
    ]);
    expect(shown(text, [address, span(19, 27, 'PHONE_NUMBER', 0.75)])).to.deep.equal([
      'Anna Street 12345|ADDRESS',
      '555 0199|PHONE_NUMBER',
    ]);
  });

  it('extends an offset that cuts a surrogate pair to the whole character', () => {
    const text = '😀Anna😀';
    expect(resolveOverlaps(text, [span(1, 7, 'PERSON')])).to.deep.include({
      ...span(1, 7, 'PERSON'),
      start: 0,
      end: 8,
    });
  });

  it('returns sorted and disjoint spans that cover the same letters and digits', () => {
    const spans = fc.array(
      fc.record({
        from: fc.nat(40),
        length: fc.integer({ min: 1, max: 20 }),
        type: fc.constantFrom('PERSON', 'LOCATION', 'ADDRESS', 'PUBLIC_URL', 'URL', 'PHONE_NUMBER', 'ID'),
        score: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), spans, (text, drawn) => {
        const given = drawn.map(({ from, length, type, score }) => span(from, from + length, type, score));
        const kept = resolveOverlaps(text, given);
        const covered = (list: readonly Span[], at: number): boolean =>
          list.some(({ start, end }) => start <= at && at < end);
        kept.forEach(({ start, end }, index) => {
          expect(start).to.be.lessThan(end);
          expect(start).to.be.at.least(kept[index - 1]?.end ?? 0);
          expect(end).to.be.at.most(text.length);
        });
        for (let at = 0; at < text.length; at++) {
          if (/[\p{L}\p{N}]/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0)) && covered(given, at)) {
            expect(covered(kept, at), `position ${at} of ${JSON.stringify(text)}`).to.equal(true);
          }
        }
      }),
    );
  });
});

describe('resolveBeforePolicy', () => {
  const before = (text: string, spans: readonly Span[]): string[] =>
    resolveBeforePolicy(text, spans).map(({ start, end, type }) => `${text.slice(start, end)}|${type}`);

  for (const type of ['LOCATION', 'ORGANIZATION', 'PUBLIC_PERSON'])
    it(`keeps a person in a longer ${type}`, () => {
      const spans = [span(0, 17, type), span(0, 12, 'PERSON')];
      expect(before('Anna Schmidt GmbH', spans)).to.have.members(['Anna Schmidt|PERSON', `Anna Schmidt GmbH|${type}`]);
    });

  it('keeps no name in a structured value', () => {
    const spans = [span(0, 16, 'EMAIL_ADDRESS'), span(0, 4, 'PERSON'), span(5, 12, 'ORGANIZATION')];
    expect(before('anna@example.com', spans)).to.deep.equal(['anna@example.com|EMAIL_ADDRESS']);
  });

  it('leads to the same result as resolving all at once, if the policy drops nothing', () => {
    const spans = fc.array(
      fc.record({
        from: fc.nat(30),
        length: fc.integer({ min: 1, max: 12 }),
        type: fc.constantFrom('PERSON', 'LOCATION', 'ADDRESS', 'ORGANIZATION', 'PUBLIC_PERSON', 'URL', 'ID'),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(spans, (drawn) => {
        const text = 'a'.repeat(42);
        const given = drawn.map(({ from, length, type }) => span(from, from + length, type));
        const covered = (all: readonly Span[]): boolean[] =>
          Array.from(text, (_, at) => all.some(({ start, end }) => start <= at && at < end));
        const twice = resolveOverlaps(text, resolveBeforePolicy(text, given));
        expect(covered(twice)).to.deep.equal(covered(resolveOverlaps(text, given)));
      }),
    );
  });
});
