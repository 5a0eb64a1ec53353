import { expect } from 'chai';
import { diagramOf, summaryOf, tableOf } from './summary.ts';

describe('the walk of an event', () => {
  const walk = summaryOf([
    { file: 'queue.ts', from: '' },
    { file: 'text.ts', from: undefined },
    { file: 'reconcile.ts', from: 'queue.ts' },
    { file: 'reconcile.ts', from: undefined },
    { file: 'client.ts', from: 'reconcile.ts' },
    { file: 'client.ts', from: 'reconcile.ts' },
    { file: 'status.ts', from: 'reconcile.ts' },
    { file: 'client.ts', from: 'status.ts' },
  ]);

  it('counts a file once for each other file that control comes from', () => {
    expect(walk).to.deep.equal({
      stations: [
        { file: 'queue.ts', from: [] },
        { file: 'reconcile.ts', from: ['queue.ts'] },
        { file: 'client.ts', from: ['reconcile.ts', 'status.ts'] },
        { file: 'status.ts', from: ['reconcile.ts'] },
      ],
      helpers: ['text.ts'],
      enteredMore: 1,
    });
  });

  it('begins at a file that waited before', () => {
    const { stations } = summaryOf([{ file: 'a.ts', from: 'loop.ts' }]);
    expect(stations.map(({ file }) => file)).to.deep.equal(['loop.ts', 'a.ts']);
  });

  it('is printed as a table and as a diagram', () => {
    expect(
      tableOf(walk, () => 7)
        .split('\n')
        .slice(-3),
    ).to.deep.equal(['   2 ×    7 lines  client.ts', '   1 ×    7 lines  status.ts', 'helper    7 lines  text.ts']);
    expect(diagramOf(summaryOf([{ file: 'b.ts', from: 'a.ts' }])).split('\n')).to.deep.equal([
      ...['```mermaid', 'flowchart LR', '  f0["a.ts"]', '  f1["b.ts"]', '  f0 --> f1', '```'],
    ]);
  });
});
