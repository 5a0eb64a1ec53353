import { expect } from 'chai';
import { summaryOf } from './summary.ts';

describe('the walk of an event', () => {
  it('has the files in the order of their first entry', () => {
    expect(summaryOf(['b.ts', 'a.ts', 'b.ts'], (file) => (file === 'a.ts' ? 7 : 120))).to.deep.equal({
      ...{ files: 2, longest: 120, enteredMore: 1 },
      text: '   2 ×  120 lines  b.ts\n   1 ×    7 lines  a.ts',
    });
  });

  it('has no file without an entry', () => {
    expect(summaryOf([], () => 1)).to.deep.equal({ files: 0, longest: 0, enteredMore: 0, text: '' });
  });
});
