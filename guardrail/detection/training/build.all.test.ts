import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { build, type Manifest } from './build.ts';

describe('training', function () {
  // Three trainings take five minutes alone, and longer beside other tests.
  this.timeout(1_800_000);

  it('reproduces the shipped weights bit for bit', () => {
    const manifest = JSON.parse(readFileSync(new URL('./manifest.json', import.meta.url), 'utf8')) as Manifest;
    expect(build(() => undefined).manifest).to.deep.equal(manifest);
  });
});
