import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from './testing/appHarness.ts';
import { followFile, type Live } from './liveFile.ts';

describe('a followed file', () => {
  let folder: string;
  let path: string;
  let live: Live<number> | undefined;
  const problems: string[] = [];
  const parse = (text: string): number => {
    if (!/^\d+$/.test(text)) throw new Error('must be a number');
    return Number(text);
  };
  /** Replaces the file in one step, because partial writes are not under test. */
  const write = async (text: string): Promise<void> => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-file-'));
    path = join(folder, 'value');
    problems.length = 0;
    await write('1');
    live = followFile(path, parse, (problem) => problems.push(problem.message), 5);
  });
  afterEach(async () => {
    live?.close();
    await rm(folder, { recursive: true });
  });

  it('provides the latest valid content, and reports each invalid content once', async () => {
    expect(live?.current).to.equal(1);
    await write('2');
    await eventually(() => live?.current === 2);
    await write('three');
    await eventually(() => problems.length > 0);
    expect([live?.current, problems]).to.deep.equal([2, ['must be a number']]);
    await write('4');
    await eventually(() => live?.current === 4);
    expect(problems).to.have.length(1);
  });

  it('is reported once if it is unreadable, keeps its value, and is followed again when it is readable', async () => {
    await rm(path);
    await eventually(() => problems.length > 0);
    expect([live?.current, problems]).to.deep.equal([1, [`names ${path}, which cannot be read`]]);
    await write('2');
    await eventually(() => live?.current === 2);
    await rm(path);
    await eventually(() => problems.length === 2);
    expect(problems[1]).to.equal(problems[0]);
  });

  it('is refused at the start if it is not readable or not valid', async () => {
    const open = (name: string) => () => followFile(join(folder, name), parse, () => undefined);
    expect(open('none')).to.throw(/^names .*none, which cannot be read$/);
    await write('x');
    expect(open('value')).to.throw(/^must be a number$/);
  });
});
