import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { followFolder, type Live } from './liveFolder.ts';
import { eventually } from './testing/appHarness.ts';

describe('a followed folder', () => {
  let parent: string;
  let folder: string;
  let live: Live<number | undefined> | undefined;
  const problems: string[] = [];
  let reads = 0;

  /** The sum of both files. */
  const follow = (): void => {
    live = followFolder({
      folder,
      names: ['a', 'b'],
      read(files) {
        reads += 1;
        const sum = Number(files.get('a')) + Number(files.get('b'));
        if (Number.isNaN(sum)) throw new Error('is not a sum.');
        return sum;
      },
      report: (problem) => problems.push(problem.message),
      intervalMs: 5,
    });
  };
  /** Replaces a file in one step, because partial writes are not under test. */
  const write = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, 'new'), text);
    await rename(join(folder, 'new'), join(folder, name));
  };

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'live-folder-'));
    folder = join(parent, 'files');
    await mkdir(folder);
    problems.length = 0;
    reads = 0;
  });
  afterEach(async () => {
    live?.close();
    await rm(parent, { recursive: true });
  });

  it('provides the latest valid content of all files, and reads them only when they change', async () => {
    await write('a', '1');
    await write('b', '2');
    follow();
    expect([live?.current, reads]).to.deep.equal([3, 1]);
    await write('b', '3');
    await eventually(() => live?.current === 4);
    const before = reads;
    await write('c', '1');
    await write('a', 'x');
    await eventually(() => problems.length === 1);
    expect([live?.current, reads - before]).to.deep.equal([4, 1]);
    await rm(join(folder, 'a'));
    await eventually(() => problems.length === 2);
    expect(live?.current).to.equal(4);
    await write('a', '7');
    await eventually(() => live?.current === 10);
  });

  it('can come into being later', async () => {
    await rm(folder, { recursive: true });
    follow();
    expect([live?.current, problems]).to.deep.equal([undefined, ['is not a sum.']]);
    await mkdir(folder);
    await write('a', '1');
    await write('b', '1');
    await eventually(() => live?.current === 2);
  });
});
