import { expect } from 'chai';
import { describeBytes } from './download.ts';

describe('a download', () => {
  for (const [done, total, seconds, expected] of [
    [0, 133_000_000, 1, '0 % (0 of 133 MB)'],
    [40_000_000, 133_000_000, 10, '30 %, about 30 s left (40 of 133 MB)'],
    [40_400_000, 0, 10, '40 MB downloaded'],
  ] as const) {
    it(`of ${done} of ${total} bytes after ${seconds} s: ${expected}`, () => {
      expect(describeBytes({ done, total, elapsedMs: seconds * 1000 })).to.equal(expected);
    });
  }
});
