import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { localLinks } from '../project/readme.ts';
import { dataPackages, modelCardFile, weights, withParts } from './modelCard.ts';

const card = readFileSync(modelCardFile, 'utf8');

describe('model card', () => {
  it('lists the shipped weights and all packages (to update, run `npm run eval -- --write`)', async () => {
    expect(await withParts(card, { weights: weights(), packages: dataPackages() })).to.equal(card);
  });

  it('has figures', () => {
    const [, figures = ''] = card.split('<!-- figures: begin -->');
    for (const set of [
      'Held out',
      'texts of many kinds',
      'presidio_synth_dev',
      'prompts_dev',
      'everyday_dev',
      'other spellings',
    ])
      expect(figures).to.match(new RegExp(`^### .*${set}`, 'm'));
  });

  it('has no broken local links', () => {
    const links = localLinks(card);
    expect(links).to.have.length.above(0);
    expect(links.filter((link) => !existsSync(join(dirname(modelCardFile), link)))).to.deep.equal([]);
  });

  it('is not updated if it lacks the markers of a part', async () => {
    await withParts('# Card', { figures: 'x' }).then(
      () => expect.fail('the card was updated'),
      (error: unknown) => expect(String(error)).to.include('<!-- figures: begin -->'),
    );
  });

  it('keeps the text around its parts', async () => {
    const written = await withParts('# Card\n\n<!-- a: begin -->\n\nold\n\n<!-- a: end -->\n\nend\n', { a: 'new' });
    expect(written).to.equal('# Card\n\n<!-- a: begin -->\n\nnew\n\n<!-- a: end -->\n\nend\n');
  });
});
