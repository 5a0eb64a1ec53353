import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { modelCardFile, withParts } from '../modelCard.ts';
import { worseFigures, SEEDS } from '../shippedFigures.ts';
import { isInSample, ratchetFigures, summed, type KindFigures } from './evaluation.ts';
import { pictureSpecs } from './pictures.ts';
import { processUsage } from './processUsage.ts';
import { imageSection, readShippedImages } from './report.ts';

const kind: KindFigures = {
  ...{ set: 'plain', kind: 'mail', pictures: 4, refused: 1, values: 50, left: 2, leftByDetector: 1 },
  ...{ words: 400, wordsRead: 390, others: 300, lost: 3, alteredInnocent: 0 },
};

describe('the evaluation of pictures', () => {
  it('has 77 plain, 33 harder and 48 innocent pictures, each with a name of its own', () => {
    const count = (set: string): number => pictureSpecs.filter((spec) => spec.set === set).length;
    expect(count('plain')).to.be.at.least(77);
    expect(count('hard')).to.be.at.least(33);
    expect(count('innocent')).to.equal(48);
    expect(new Set(pictureSpecs.map(({ name }) => name)).size).to.equal(pictureSpecs.length);
    const kinds = new Set(pictureSpecs.map(({ set, kind: one }) => `${set} ${one}`));
    expect(pictureSpecs.filter(isInSample)).to.have.length(kinds.size);
  });

  it('fails for each share that becomes worse, and for other pictures', () => {
    const worseThan = (changes: Partial<KindFigures>): string[] =>
      worseFigures({ seeds: SEEDS, figures: ratchetFigures([kind]) }, ratchetFigures([{ ...kind, ...changes }]));
    expect(worseThan({})).to.deep.equal([]);
    expect(worseThan({ left: 0, lost: 0, refused: 0, wordsRead: 400 })).to.deep.equal([]);
    for (const [changes, measure] of [
      [{ left: 4 }, 'values left'],
      [{ refused: 3 }, 'refused'],
      [{ wordsRead: 380 }, 'words not read'],
      [{ lost: 5 }, 'other words masked'],
      [{ values: 51 }, 'values left'],
    ] as const)
      expect(worseThan(changes).join(), measure).to.include(`| ${measure} | all | plain: mail`);
  });

  it('sums kinds', () => {
    expect(summed([kind, kind], 'plain')).to.deep.equal({
      ...{ set: 'plain', kind: 'all', pictures: 8, refused: 2, values: 100, left: 4, leftByDetector: 2 },
      ...{ words: 800, wordsRead: 780, others: 600, lost: 6, alteredInnocent: 0 },
    });
  });

  it('is in the model card (to update, run `npm run eval -- --images --write`)', async () => {
    const card = readFileSync(modelCardFile, 'utf8');
    expect(await withParts(card, { images: imageSection(readShippedImages().all) })).to.equal(card);
  });

  it('measures the time and the memory of a process', async () => {
    const program = `
      while (process.cpuUsage().user < 100_000);
      console.log('busy');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const { cpuMs, peakBytes } = processUsage(child.pid ?? 0);
      expect(cpuMs).to.be.within(80, 5000);
      expect(peakBytes).to.be.within(20e6, 8e9);
    } finally {
      child.kill();
      await once(child, 'close');
    }
    expect(() => processUsage(2 ** 22 + 1)).to.throw('ENOENT');
  });
});
