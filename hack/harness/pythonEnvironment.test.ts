import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pythonEnvironment } from './pythonEnvironment.ts';

const PROGRAM = { name: 'Tool', folder: 'tool-1.0', install: ['tool==1.0'], python: 'Python 3.10 or later' };

/** A Python whose `venv` creates a Python that notes the arguments of pip, and fails if the file `offline` exists. */
const FAKE = (folder: string): string => `#!/bin/sh
mkdir -p "$3/bin"
cat > "$3/bin/python" <<'END'
#!/bin/sh
echo "$@" >> ${folder}/pip
if [ -e ${folder}/offline ]; then echo "No route to host" >&2; exit 1; fi
END
chmod +x "$3/bin/python"
`;

describe('the environment of a Python program', () => {
  const { PATH } = process.env;
  let folder = '';
  const install = (log?: (line: string) => void): Promise<string> => pythonEnvironment(PROGRAM, log, folder);
  const pip = (): string[] => readFileSync(join(folder, 'pip'), 'utf8').trim().split('\n');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'python-'));
    writeFileSync(join(folder, 'python3'), FAKE(folder));
    chmodSync(join(folder, 'python3'), 0o755);
    process.env.PATH = `${folder}:${PATH ?? ''}`;
  });
  afterEach(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  });

  it('is installed once', async () => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const bin = await install(log);
    expect(await install(log)).to.equal(bin);
    expect(existsSync(join(bin, 'python'))).to.equal(true);
    expect(pip()).to.deep.equal(['-m pip install --quiet --disable-pip-version-check tool==1.0']);
    expect(lines).to.deep.equal(['Installing Tool from PyPI, once …']);
  });

  it('is installed once if two tests need it at the same time', async () => {
    const [one, other] = await Promise.all([install(), install()]);
    expect(one).to.equal(other);
    expect(pip()).to.have.length(1);
  });

  it('says what to install if pip fails, and is installed at the next attempt', async () => {
    writeFileSync(join(folder, 'offline'), '');
    const error = await install().catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.an('error')
      .with.property(
        'message',
        'Installing Tool failed. Install Python 3.10 or later with venv and pip, and allow access to PyPI. No route to host',
      );
    rmSync(join(folder, 'offline'));
    await install();
    expect(pip()).to.have.length(2);
  });

  it('says what to install if there is no Python', async () => {
    process.env.PATH = join(folder, 'empty');
    const error = await install().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message').that.contains('Install Python 3.10 or later with venv');
  });
});
