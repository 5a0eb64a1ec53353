import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { evalFolder } from './evalData.ts';
import { figures, measuredSets, modelCardFile, withParts, type MeasuredSet } from './modelCard.ts';
import { measuredFigures, readShipped, worseFigures } from './shippedFigures.ts';

describe('figures of the shipped detector', function () {
  this.timeout(300_000);
  let sets: readonly MeasuredSet[] = [];
  before(async () => {
    sets = await measuredSets(evalFolder());
  });

  it('are not worse than those that were shipped, for any set, type and language', async () => {
    expect(worseFigures(readShipped(), await measuredFigures(sets))).to.deep.equal([]);
  });

  it('are those of the model card (to update, run `npm run eval -- --write`)', async () => {
    const card = readFileSync(modelCardFile, 'utf8');
    expect(await withParts(card, { figures: await figures(sets) })).to.equal(card);
  });
});
