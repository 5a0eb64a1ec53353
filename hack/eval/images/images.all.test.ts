import { expect } from 'chai';
import { measureSample, worseImages } from './images.ts';

describe('redaction of pictures', function () {
  this.timeout(600_000);

  it('leaves not more than the shipped one (to update, run `npm run eval -- --images --write`)', async () => {
    expect(worseImages(await measureSample())).to.deep.equal([]);
  });
});
