import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { contentHash, type Manifest } from './build.ts';
import { manifestAfter, readWeightsManifest } from './weightsManifest.ts';
import { trainedFiles } from './recordedTraining.ts';
import { changedInputs, inputsFile, tokensOf, type Inputs } from './inputs.ts';

const manifest = JSON.parse(readFileSync(new URL('./manifest.json', import.meta.url), 'utf8')) as Manifest;
const inputs = JSON.parse(readFileSync(inputsFile, 'utf8')) as Inputs;

describe('shipped weights', () => {
  it('match the manifest (after a change of the training, run `npm run train`)', () => {
    const hashes = Object.entries(trainedFiles).map(([name, file]) => [name, contentHash(readFileSync(file))]);
    expect(Object.fromEntries(hashes)).to.deep.equal(manifest.sha256);
  });

  it('have a manifest beside them that names the digests of the files and of the inputs', () => {
    const shipped = readWeightsManifest();
    expect(shipped).to.deep.equal(manifestAfter(shipped, manifest, inputs));
  });

  it('have a new version after a training that changes one of them, and only then', () => {
    const shipped = readWeightsManifest();
    const { version } = shipped;
    expect(manifestAfter(shipped, manifest, { 'another.txt': 'any' }).version).to.equal(version);
    const others = { sha256: { ...manifest.sha256, classifier: 'another' } };
    expect(manifestAfter(shipped, others, inputs)).to.include({ version: version + 1, inputs: shipped.inputs });
  });

  it('were trained from the present files (after a change of them, run `npm run train`)', () => {
    expect(changedInputs(inputs)).to.deep.equal([]);
  });

  it('are much better than those of the small training, which learns something too', () => {
    const { balanced } = manifest.development;
    const small = manifest.small.development.balanced;
    expect(small?.f2).to.be.within(0.4, (balanced?.f2 ?? 0) - 0.2);
    expect(small?.leakedValues).to.be.within((balanced?.leakedValues ?? 1) + 0.2, 0.6);
  });
});

describe('the files of a training', () => {
  const file = 'hack/training/random.ts';
  const language = 'hack/training/languages/de/training.ts';

  it('are changed if their contents are, if one is missing, or if a language has a new one', () => {
    expect(changedInputs({ ...inputs, [file]: 'another' })).to.deep.equal([file]);
    expect(changedInputs({ ...inputs, 'guardrail/gone.ts': 'any' })).to.deep.equal(['guardrail/gone.ts']);
    const { [language]: _, ...others } = inputs;
    expect(changedInputs(others)).to.deep.equal([language]);
  });

  it('are the same with other comments and other white space, but not with other tokens', () => {
    const tokens = tokensOf('const a = /x\\/\\/y/;');
    expect(tokensOf('/** What it is. */\nconst a =\n  /x\\/\\/y/; // why\n')).to.deep.equal(tokens);
    expect(tokensOf('const a = /x\\/\\/z/;')).to.not.deep.equal(tokens);
    expect(tokensOf('const a = `x${b} // c`;')).to.not.deep.equal(tokensOf('const a = `x${b} // d`;'));
  });
});
