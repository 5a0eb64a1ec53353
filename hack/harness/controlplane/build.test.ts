import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../operator/runtime/testing/eventually.ts';
import { goBuild } from './build.ts';

/** A fake go command: `build` waits for the file `go-on`. */
const GO = String.raw`#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/commands"
case $1 in
build)
  touch "$GOTMPDIR/object"
  echo "go: downloading example.com/one v1.0.0" >&2
  if [ -e "$here/fails" ]; then echo 'one.go:1:1: syntax error' >&2; exit 1; fi
  while [ ! -e "$here/go-on" ]; do sleep 0.05; done
  while [ "$1" != -o ]; do shift; done
  case $2 in */) echo 1 >"$2/one"; echo 2 >"$2/two" ;; *) echo 1 >"$2" ;; esac
  ;;
esac
`;

describe('building from Go modules', () => {
  let folder = '';
  let child: ChildProcess | undefined;
  const path = (name: string): string => join(folder, name);
  const one = { name: 'first', package: 'example.com/one' };
  const two = { name: 'second', package: 'example.com/two/v3' };

  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'build-test-'));
    fs.mkdirSync(path('module'));
    fs.writeFileSync(path('go'), GO);
    fs.chmodSync(path('go'), 0o755);
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true });
  });
  const request = (report: (line: string) => unknown) => ({
    module: path('module'),
    folder: path('cache/1.0.0'),
    go: path('go'),
    env: process.env,
    report,
  });

  it('builds several programs with one command', async () => {
    const lines: string[] = [];
    fs.writeFileSync(path('go-on'), '');
    await goBuild({ programs: [one, two], ...request((line) => lines.push(line)) });
    expect(lines).to.deep.equal(['Building first and second from Go modules (once; minutes on a new machine) …']);
    const commands = fs.readFileSync(path('commands'), 'utf8').trim().split('\n');
    expect(commands.map((command) => command.split(' ')[0])).to.deep.equal(['build']);
    expect(fs.readdirSync(path('cache'))).to.deep.equal(['1.0.0']);
    expect(['first', 'second'].map((name) => fs.readFileSync(path(`cache/1.0.0/${name}`), 'utf8'))).to.deep.equal([
      '1\n',
      '2\n',
    ]);
  });

  it('uses the requested name for a single program', async () => {
    fs.writeFileSync(path('go-on'), '');
    await goBuild({ programs: [{ name: 'only', package: '.' }], ...request(() => undefined) });
    expect(fs.readdirSync(path('cache/1.0.0'))).to.deep.equal(['only']);
  });

  it('fails with the output of go, and leaves no files', async () => {
    fs.writeFileSync(path('fails'), '');
    const error = await goBuild({ programs: [one, two], ...request(() => undefined) }).catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).to.equal(
      'Building first and second failed. The first build needs the Go module proxy or a filled module cache. Output of Go:\n' +
        'one.go:1:1: syntax error',
    );
    expect(fs.readdirSync(path('cache'))).to.deep.equal(['1.0.0']);
    expect(fs.readdirSync(path('cache/1.0.0'))).to.deep.equal([]);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`leaves no compiler running when its process is ended by ${signal}`, async () => {
      const program = `
        import { goBuild } from ${JSON.stringify(join(import.meta.dirname, 'build.ts'))};
        process.on('SIGTERM', () => process.exit(1));
        await goBuild({ programs: [{ name: 'first', package: 'example.com/one' }], report: () => undefined,
          module: process.argv[1], folder: process.argv[2], go: process.argv[3], env: process.env });`;
      const args = [path('module'), path('cache/1.0.0'), path('go')];
      child = spawn(process.execPath, ['--input-type=module', '-e', program, ...args], { stdio: 'ignore' });
      const ended = new Promise((resolve) => child?.once('close', resolve));
      const works = (): boolean => {
        try {
          return execFileSync('pgrep', ['-f', `${path('go')} build`], { encoding: 'utf8' }) !== '';
        } catch {
          return false;
        }
      };
      await eventually(() => expect(works()).to.equal(true));
      child.kill(signal);
      await ended;
      await eventually(() => expect(works()).to.equal(false));
      if (signal === 'SIGTERM') expect(fs.readdirSync(path('cache'))).to.deep.equal(['1.0.0']);
      expect(fs.existsSync(path('cache/1.0.0/first'))).to.equal(false);
    });
  }
});
