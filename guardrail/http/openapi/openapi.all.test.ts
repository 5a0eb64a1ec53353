import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { KEY, startHarness, type Harness } from '../../testing/appHarness.ts';

const run = promisify(execFile);
const VERSION = '4.32.5';

/** Installs Schemathesis in a virtual environment in the cache. */
async function findSchemathesis(): Promise<string> {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(caches, 'gateway-guardrail-operator', `schemathesis-${VERSION}`);
  const program = join(folder, 'bin', 'schemathesis');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`]);
  } catch (error) {
    throw new Error(
      'Cannot install Schemathesis: install Python 3.10 or later with venv, and allow pip to access PyPI.',
      {
        cause: error,
      },
    );
  }
  // Written last, so that an interrupted installation starts again.
  writeFileSync(complete, '');
  return program;
}

describe('the service under Schemathesis', () => {
  let harness: Harness;
  let folder: string;
  before(async () => {
    harness = await startHarness({ env: { GUARDRAIL_PLAYGROUND: 'true' } });
    folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  });
  after(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true });
  });

  it('returns no 5xx, and conforms to its document', async function () {
    this.timeout(600_000);
    const program = await findSchemathesis();
    // Excluded: JSON Schema can require one of three fields, but the generator ignores that.
    const checks = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'];
    const target = [`${harness.url}/openapi.json`, '--header', `x-api-key: ${KEY}`];
    const result = await run(program, ['run', ...target, ...checks, '--max-examples', '50', '--no-color'], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: unknown) => error as { stdout: string });
    expect(result.stdout).to.match(/Tested: (\d+)/);
    expect(result.stdout, result.stdout).to.match(/(\d+) generated, \1 passed|No issues found/);
    expect(result.stdout).to.not.match(/FAILURES|ERRORS/);
  });
});
