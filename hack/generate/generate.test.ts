import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { GenerationError } from '../crdgen/crdgen.ts';
import { type Outcome, runGenerators, selectGenerators } from './generate.ts';
import { type Generator, GENERATORS } from './generators.ts';

describe('generators', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'generate-'));
    mkdirSync(join(root, 'out'));
    for (const name of ['old', 'same', 'stale']) writeFileSync(join(root, 'out', name), name);
    writeFileSync(join(root, 'kept'), 'by hand');
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');

  const letters: Generator = {
    name: 'letters',
    writes: ['out/'],
    run: () =>
      new Map<string, string | Uint8Array>([
        ['out/old', 'new'],
        ['out/same', 'same'],
        ['out/deep/er', Buffer.from([0, 255])],
      ]),
  };
  const copy: Generator = {
    name: 'copy',
    writes: ['copied'],
    run: (project) => new Map([['copied', `${project.read('out/old')} and ${project.read('kept')}`]]),
  };
  function outcomes(write: boolean, generators: readonly Generator[] = [letters, copy]): Outcome[] {
    const found: Outcome[] = [];
    runGenerators(generators, root, write, (outcome) => found.push(outcome));
    return found;
  }
  const expected = [
    { name: 'letters', written: ['out/old', 'out/deep/er'], removed: ['out/stale'], unchanged: 1 },
    { name: 'copy', written: ['copied'], removed: [], unchanged: 0 },
  ];

  it('write what differs, remove what they no longer write, and read what earlier ones write', () => {
    expect(outcomes(true)).to.deep.equal(expected);
    expect([read('out/old'), read('copied'), read('kept')]).to.deep.equal(['new', 'new and by hand', 'by hand']);
    expect(readFileSync(join(root, 'out/deep/er'))).to.deep.equal(Buffer.from([0, 255]));
    expect(existsSync(join(root, 'out/stale'))).to.equal(false);
    for (const outcome of outcomes(true)) expect(outcome).to.deep.include({ written: [], removed: [] });
  });

  it('only report what differs when they check', () => {
    expect(outcomes(false)).to.deep.equal(expected);
    expect([read('out/old'), read('out/stale')]).to.deep.equal(['old', 'stale']);
    expect(existsSync(join(root, 'copied'))).to.equal(false);
  });

  it('name themselves in each line of an error, and write nothing', () => {
    const problem = (reason: string) => ({ place: 'a.ts:1', reason });
    const fails = (error: Error): Generator => ({
      ...letters,
      run: () => {
        throw error;
      },
    });
    expect(() => outcomes(true, [fails(new GenerationError([problem('no'), problem('never')]))])).to.throw(
      /^letters: a\.ts:1: no\nletters: a\.ts:1: never$/,
    );
    expect(() => outcomes(true, [fails(new Error('one\ntwo'))])).to.throw(/^letters: one\ntwo$/);
    expect(() => outcomes(true, [{ ...letters, writes: ['out/old', 'out/same'] }])).to.throw(
      'letters: out/deep/er is not among the files that the generator declares.',
    );
    expect(read('out/old')).to.equal('old');
  });

  it('are selected by name', () => {
    const selected = (...names: string[]) => selectGenerators([letters, copy], names).map(({ name }) => name);
    expect(selected()).to.deep.equal(['letters', 'copy']);
    expect(selected('copy')).to.deep.equal(['copy']);
    expect(() => selected('copy', 'paste')).to.throw('There is no generator paste. Known: letters, copy.');
  });

  it('of this project declare files that exist, each once', () => {
    const all = GENERATORS.flatMap(({ writes }) => writes);
    expect(new Set(all).size).to.equal(all.length);
    expect(all.filter((path) => !existsSync(join(import.meta.dirname, '../..', path)))).to.deep.equal([]);
  });
});
