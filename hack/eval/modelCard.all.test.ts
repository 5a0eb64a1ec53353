import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { evalFolder } from './evalData.ts';
import { figures, modelCardFile, withParts } from './modelCard.ts';

describe('figures of the model card', function () {
  this.timeout(120_000);

  it('match the shipped detector (to update, run `npm run eval -- --write`)', async () => {
    const card = readFileSync(modelCardFile, 'utf8');
    expect(await withParts(card, { figures: await figures(evalFolder()) })).to.equal(card);
  });
});
