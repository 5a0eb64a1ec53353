import { expect } from 'chai';
import { afterOnePeriod, nextAlignedReset, parseDuration } from './duration.ts';

describe('budget durations', () => {
  const now = new Date('2026-01-31T10:20:30Z'); // a Saturday
  const table: readonly (readonly [text: string, after: string, aligned: string])[] = [
    ['30s', '2026-01-31T10:21:00', '2026-01-31T10:21:00'],
    ['5m', '2026-01-31T10:25:30', '2026-01-31T10:25:00'],
    ['1h', '2026-01-31T11:20:30', '2026-01-31T11:00:00'],
    ['1d', '2026-02-01T10:20:30', '2026-02-01T00:00:00'],
    ['2d', '2026-02-02T10:20:30', '2026-02-02T00:00:00'],
    ['7d', '2026-02-07T10:20:30', '2026-02-02T00:00:00'],
    ['1w', '2026-02-07T10:20:30', '2026-02-02T00:00:00'],
    ['30d', '2026-03-02T10:20:30', '2026-02-01T00:00:00'],
    ['1mo', '2026-02-28T10:20:30', '2026-02-01T00:00:00'],
  ];
  for (const [text, after, aligned] of table) {
    it(`reads ${text}`, () => {
      const duration = parseDuration(text);
      if (duration === undefined) throw new Error('The duration was not read.');
      expect(afterOnePeriod(duration, now).toISOString()).to.equal(`${after}.000Z`);
      expect(nextAlignedReset(duration, now).toISOString()).to.equal(`${aligned}.000Z`);
    });
  }
  for (const text of ['', 'soon', '0d', '-1d', '1.5d', '5', '1y', '99999999999d']) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(parseDuration(text)).to.equal(undefined);
    });
  }
});
