import { expect } from 'chai';
import { atOnce } from '../../eventLoop.ts';
import { applyingEdits } from './edits.ts';

describe('applyingEdits', () => {
  it('replaces parts in any order, and one part once', () => {
    const edits = [
      { start: 4, end: 5, text: 'E' },
      { start: 0, end: 2, text: '' },
      { start: 4, end: 5, text: 'E' },
    ];
    expect(atOnce(applyingEdits('abcdef', edits))).to.equal('cdEf');
  });

  it('refuses edits that overlap', () => {
    const edits = [
      { start: 0, end: 3, text: 'x' },
      { start: 2, end: 4, text: 'y' },
    ];
    expect(() => atOnce(applyingEdits('abcdef', edits))).to.throw('overlap');
  });
});
