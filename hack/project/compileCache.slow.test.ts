import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeFlagsOf, operatorContainer } from '../harness/operatorContainer.ts';

const root = join(import.meta.dirname, '../..');

/** What the stage of the Dockerfile that writes the cache sets, and the arguments with which it runs Node. */
function compileStage(): { settings: Record<string, string>; runs: readonly (readonly string[])[] } {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const stage = /^FROM program AS compiled\n([^]*?)\nFROM /m.exec(dockerfile)?.[1] ?? '';
  const settings = [...stage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const runs = [...stage.matchAll(/^RUN (\[.*\])$/gm)].map(([, run = '']) => (JSON.parse(run) as string[]).slice(1));
  return { settings: Object.fromEntries(settings.map((setting) => setting.split('=') as [string, string])), runs };
}

describe('the compile cache of the image', function () {
  this.timeout(60_000);
  const { settings, runs } = compileStage();
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs Node with a cache. Returns what it says about it. */
  function node(cache: string, more: readonly string[], env: NodeJS.ProcessEnv = {}): string {
    const own = { NODE_COMPILE_CACHE: join(folder, cache), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const options = { cwd: root, env: { ...process.env, ...env, ...own }, maxBuffer: 1 << 28 };
    const { status, stderr } = spawnSync(process.execPath, more, { ...options, encoding: 'utf8' });
    expect(status, stderr.slice(-1000)).to.equal(0);
    return stderr;
  }

  /** The files of a cache by their path. */
  function files(cache: string): Map<string, string> {
    const names = readdirSync(join(folder, cache), { recursive: true, withFileTypes: true });
    const found = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return new Map(found.map((path) => [path.slice(join(folder, cache).length), readFileSync(path, 'base64')]));
  }

  it('is the same in every build', () => {
    expect(settings).to.have.keys('NODE_COMPILE_CACHE', 'UV_THREADPOOL_SIZE');
    expect(runs).to.have.length(2);
    for (const cache of ['first', 'second']) for (const args of runs) node(cache, args, settings);
    const [first, second] = [files('first'), files('second')];
    expect(first.size).to.be.above(500);
    expect([...second.keys()]).to.have.members([...first.keys()]);
    expect([...first].filter(([path, content]) => second.get(path) !== content).map(([path]) => path)).to.deep.equal(
      [],
    );
  });

  for (const [program, flags, modules] of [
    ['operator', nodeFlagsOf(operatorContainer()), ['operator/config.ts']],
    ['guardrail', [], ['guardrail/commands.ts']],
  ] as const) {
    it(`is used by the ${program}, which is started without most of its flags`, () => {
      const imports = modules.map((module) => `await import('./${module}')`).join('; ');
      const output = node('first', [...flags, '--eval', imports]);
      for (const module of modules) {
        expect(output).to.match(
          new RegExp(`V8 code cache for ESM .*${module.replace('.', String.raw`\.`)} was accepted`),
        );
      }
      expect(output).not.to.match(/was rejected/);
    });
  }
});
