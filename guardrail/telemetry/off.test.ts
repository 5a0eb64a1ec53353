import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '../..');

/** Loads both programs, and starts the export by several environments. Prints the packages of OpenTelemetry after each. */
const SCRIPT = `
  import { createRequire } from 'node:module';
  import { Registry } from 'prom-client';
  await Promise.all(['guardrail/serve.ts', 'guardrail/extProc/extProc.ts', 'operator/operator.ts'].map((file) => import('./' + file)));
  const { startTelemetry } = await import('./guardrail/telemetry/telemetry.ts');
  const silent = () => undefined;
  const logger = { info: silent, warn: silent, error: silent };
  const { cache } = createRequire(import.meta.url);
  const loaded = [];
  for (const env of JSON.parse(process.argv[1])) {
    const telemetry = await startTelemetry({ env, serviceName: 'x', logger, registry: new Registry() });
    await telemetry.shutdown(0);
    const packages = Object.keys(cache).map((file) => /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(file)?.[1]);
    loaded.push([...new Set(packages)].filter((name) => name));
  }
  console.log(JSON.stringify(loaded));
  process.exit(0);
`;

/** The API and the conventions are constants and empty implementations. */
const HARMLESS = ['@opentelemetry/api', '@opentelemetry/api-logs', '@opentelemetry/semantic-conventions'];

describe('the programs', function () {
  this.timeout(20_000);

  it('load nothing of the SDK without a variable that asks for it, and the SDK with one', async () => {
    const address = 'http://127.0.0.1:1';
    const environments = [
      {},
      { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_EXPORTER: 'none' },
      { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: address },
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address },
    ];
    const args = ['--input-type=module', '--eval', SCRIPT, JSON.stringify(environments)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const loaded = (JSON.parse(stdout) as string[][]).map((names) => names.filter((name) => !HARMLESS.includes(name)));
    expect(loaded.slice(0, 3)).to.deep.equal([[], [], []]);
    expect(loaded[3]).to.include('@opentelemetry/sdk-node');
  });
});
