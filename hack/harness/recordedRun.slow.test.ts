import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { recordedRun, type RecordedResult } from './recordedRun.ts';

/** Reads a module, a package, a file, a folder and a file that is missing, and prints all of them. */
const PROGRAM = `
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { word } from './word.ts';
const packed = createRequire(import.meta.url)('./packed.cjs');
const names = globSync('names/*.txt', { cwd: import.meta.dirname }).sort();
const texts = names.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
const later = (await readFile(new URL('later.txt', import.meta.url), 'utf8'));
const { seed } = await import('./seed.ts');
const draws = existsSync(new URL('switch', import.meta.url)) ? 'on' : 'off';
console.log(JSON.stringify([word, packed, texts, later, seed, draws, process.argv.slice(2), process.env.WORD ?? null]));
`;
const FILES: Readonly<Record<string, string>> = {
  'program.ts': PROGRAM,
  'word.ts': "export { word } from './deeper.ts';",
  'deeper.ts': "export const word: string = 'one';",
  'seed.ts': 'export const seed = 1;',
  'packed.cjs': "module.exports = 'p';",
  'names/a.txt': 'a',
  'later.txt': 'later',
  'unrelated.txt': 'x',
};

describe('a recorded run', function () {
  this.timeout(60_000);
  let root = '';
  let cache = '';
  const put = (file: string, content: string): void => {
    writeFileSync(join(root, file), content);
  };
  const run = (...args: string[]): Promise<RecordedResult> =>
    recordedRun({ root, command: [join(root, 'program.ts'), ...args], cache });
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'recorded-cache-'));
    root = realpathSync(mkdtempSync(join(tmpdir(), 'recorded-')));
    mkdirSync(join(root, 'names'));
    for (const [file, content] of Object.entries(FILES)) put(file, content);
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
    rmSync(cache, { recursive: true });
  });

  it('is taken from the cache if all inputs are the same, also in another checkout', async () => {
    const first = await run();
    expect(first.isCached).to.equal(false);
    put('unrelated.txt', 'y');
    expect(await run()).to.deep.equal({ ...first, isCached: true });

    const copy = realpathSync(mkdtempSync(join(tmpdir(), 'recorded-')));
    try {
      mkdirSync(join(copy, 'names'));
      for (const [file, content] of Object.entries(FILES)) writeFileSync(join(copy, file), content);
      const command = [join(copy, 'program.ts')] as const;
      const there = await recordedRun({ root: copy, command, cache });
      expect(there).to.deep.equal({ ...first, isCached: true });
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  for (const [what, file, content] of [
    ['the program', 'program.ts', `${PROGRAM}console.log('more');`],
    ['a module of a module', 'deeper.ts', "export const word: string = 'two';"],
    ['a module that is imported late', 'seed.ts', 'export const seed = 2;'],
    ['a CommonJS module', 'packed.cjs', "module.exports = 'q';"],
    ['a file', 'names/a.txt', 'b'],
    ['a file that is read asynchronously', 'later.txt', 'sooner'],
    ['a new file in a folder that was listed', 'names/c.txt', 'c'],
    ['a file that was looked for and missing', 'switch', ''],
  ] as const) {
    it(`is repeated after a change of ${what}, and again taken from the cache when the change is undone`, async () => {
      const first = await run();
      put(file, content);
      const second = await run();
      expect(second.isCached).to.equal(false);
      expect(second.output).to.not.equal(first.output);
      expect(await run()).to.deep.equal({ ...second, isCached: true });

      const former = FILES[file];
      if (former === undefined) rmSync(join(root, file));
      else put(file, former);
      expect(await run()).to.deep.equal({ ...first, isCached: true });
    });
  }

  it('has no environment, and is repeated with other arguments', async () => {
    process.env.WORD = 'secret';
    try {
      expect((await run('x')).output).to.include('["x"],null');
      const other = await run('y');
      expect(other.isCached).to.equal(false);
      expect(other.output).to.include('["y"],null');
    } finally {
      delete process.env.WORD;
    }
  });

  it('of another version of Node does not count, nor does a damaged entry', async () => {
    await run();
    const [name = ''] = readdirSync(cache);
    const entry = readFileSync(join(cache, name), 'utf8');
    writeFileSync(join(cache, name), entry.replace(`"node":"${process.versions.node}"`, '"node":"1.2.3"'));
    expect((await run()).isCached).to.equal(false);
    for (const damaged of [entry.slice(0, 100), 'null', entry.replace('"reads":', '"formerly":')]) {
      for (const file of readdirSync(cache)) writeFileSync(join(cache, file), damaged);
      expect((await run()).isCached).to.equal(false);
    }
  });

  it('that fails is not kept', async () => {
    put('program.ts', "throw new Error('no luck');");
    for (const _ of [1, 2]) {
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown as Error,
      );
      expect(error?.message).to.include('ended with 1').and.to.include('no luck');
    }
  });

  for (const [what, source] of [
    ['starts a process', "import { execFileSync } from 'node:child_process'; execFileSync('true');"],
    ['starts a thread', "import { Worker } from 'node:worker_threads'; new Worker('1', { eval: true });"],
    ['connects', "import { connect } from 'node:net'; connect(1, '127.0.0.1').on('error', () => {});"],
    ['writes a file', "import { writeFileSync } from 'node:fs'; writeFileSync('written', '');"],
  ] as const) {
    it(`of a program that ${what} is rejected`, async () => {
      put('program.ts', source);
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown as Error,
      );
      expect(error?.message).to.include('depends on more than files');
      expect(readdirSync(cache)).to.deep.equal([]);
    });
  }
});
