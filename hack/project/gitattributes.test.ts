import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');

function git(args: readonly string[], input = ''): string[] {
  const output = execFileSync('git', args, { cwd: root, input, encoding: 'utf8', maxBuffer: 1 << 26 });
  return output.split('\0').filter((part) => part !== '');
}

describe('.gitattributes', () => {
  const files = git(['ls-files', '-z']).filter((file) => {
    const path = join(root, file);
    return existsSync(path) && statSync(path).isFile();
  });

  // Otherwise Git guesses from the first 8,000 bytes, and may merge the file or convert its line ends.
  it('marks every binary file as binary', () => {
    const binary = files.filter((file) => readFileSync(join(root, file)).includes(0));
    expect(binary, 'binary files').to.have.length.above(3);
    const fields = git(['check-attr', '-z', '--stdin', 'binary'], binary.join('\0'));
    const unmarked = binary.filter((_, at) => fields[3 * at + 2] !== 'set');
    expect(unmarked).to.deep.equal([]);
  });

  it('has no pattern without a file', () => {
    const patterns = readFileSync(join(root, '.gitattributes'), 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[0] ?? '')
      .filter((pattern) => pattern !== '');
    const unused = patterns.filter((pattern) => git(['ls-files', '-z', '--', pattern]).length === 0);
    expect(unused).to.deep.equal([]);
  });
});
