import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atScale } from '../harness/scale.ts';
import { SMALL_SHARE, type Manifest } from './build.ts';
import { inputsFile, inputsOf } from './inputs.ts';
import { recordedTraining } from './recordedTraining.ts';

const read = (file: URL | string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** A training with all texts takes ten minutes or more. Before a release, `npm run test:long` repeats it. */
const isLong = atScale(false, true);

describe('training', function () {
  this.timeout(3_600_000);
  const { small, ...shipped } = read(new URL('./manifest.json', import.meta.url)) as Manifest;

  it(`reproduces ${isLong ? 'the shipped weights' : 'a small training'} bit for bit, from the same files`, async () => {
    const { manifest, reads, isCached } = await recordedTraining({ share: isLong ? 1 : SMALL_SHARE });
    console.log(`      trained ${isCached ? 'earlier on this machine, with the same inputs' : 'now'}`);
    expect(manifest).to.deep.equal(isLong ? shipped : small);
    expect(inputsOf(reads)).to.deep.equal(read(inputsFile));
  });
});
