import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CACHE } from '../../../hack/harness/cache.ts';
import { recordedRun } from '../../../hack/harness/recordedRun.ts';
import { shippedFiles } from '../ner/model.ts';
import { contentHash, type Manifest } from './build.ts';

const root = join(import.meta.dirname, '../../..');

describe('training', function () {
  // Three trainings take five minutes alone, and longer beside other tests.
  this.timeout(3_600_000);

  it('reproduces the shipped weights bit for bit', async () => {
    const { output, isCached, inputs } = await recordedRun({
      root,
      command: [join(import.meta.dirname, 'train.ts'), '--print'],
      cache: join(CACHE, 'training'),
    });
    console.log(
      `      ${isCached ? 'trained earlier on this machine, with the same' : 'trained now, with'} ${inputs} inputs`,
    );
    const trained = JSON.parse(output) as Manifest;
    expect(trained).to.deep.equal(JSON.parse(readFileSync(new URL('./manifest.json', import.meta.url), 'utf8')));
    const hashes = Object.entries(shippedFiles).map(([name, file]) => [name, contentHash(readFileSync(file))]);
    expect(trained.sha256).to.deep.equal(Object.fromEntries(hashes));
  });
});
