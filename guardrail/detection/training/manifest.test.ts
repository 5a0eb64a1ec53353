import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shippedFiles } from '../ner/model.ts';
import { contentHash, type Manifest } from './build.ts';

describe('shipped weights', () => {
  const manifest = JSON.parse(readFileSync(new URL('./manifest.json', import.meta.url), 'utf8')) as Manifest;

  it('match the manifest (after a change of the training, run `npm run train`)', () => {
    const hashes = Object.entries(shippedFiles).map(([name, file]) => [name, contentHash(readFileSync(file))]);
    expect(Object.fromEntries(hashes)).to.deep.equal(manifest.sha256);
  });

  it('reach the required scores on the development set', () => {
    const { balanced } = manifest.development;
    expect(balanced?.f2).to.be.at.least(0.75);
    expect(balanced?.leakedValues).to.be.at.most(0.2);
    expect(balanced?.overmasked).to.be.at.most(0.06);
  });
});
