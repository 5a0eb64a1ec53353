import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pythonEnvironment, type PythonProgram } from '../../../hack/harness/pythonEnvironment.ts';
import { KEY, startHarness, type Harness } from '../../testing/appHarness.ts';

const run = promisify(execFile);
const SCHEMATHESIS: PythonProgram = {
  name: 'Schemathesis',
  folder: 'schemathesis-4.32.5',
  install: ['schemathesis==4.32.5'],
  python: 'Python 3.10 or later',
};

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
    const program = join(await pythonEnvironment(SCHEMATHESIS), 'schemathesis');
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
