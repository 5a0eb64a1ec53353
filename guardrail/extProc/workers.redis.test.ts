import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort, portInUse, removeAtExit, startProcess, waitUntilReady } from '../../hack/harness/processes.ts';
import { HARNESS_ENV, PLANTED } from '../testing/appHarness.ts';
import { withRedis } from '../testing/redis.ts';
import { ModelEnvoy } from './testing/modelEnvoy.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const HEADERS = {
  ':method': 'POST',
  ':path': '/v1/chat/completions',
  'content-type': 'application/json',
  authorization: 'Bearer sk-of-a-client',
};
const BODY = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: PLANTED.email }] }));

describe("Envoy's external processor with several processes", function () {
  this.timeout(120_000);
  const redis = withRedis();

  it('shares its port, and the mapping of a caller', async () => {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'ext-proc-'));
    removeAtExit(folder);
    const service = await startProcess({
      name: 'The guardrail',
      command: process.execPath,
      args: [MAIN],
      env: {
        PATH: process.env.PATH,
        ...HARNESS_ENV,
        GUARDRAIL_STORE: redis().url,
        GUARDRAIL_WORKERS: '2',
        GUARDRAIL_EXT_PROC_PORT: String(port),
      },
      logFile: join(folder, 'log'),
    });
    try {
      await waitUntilReady(service, () => portInUse(port), 60_000);
      const sent = new Set<string>();
      for (let n = 0; n < 6; n += 1) {
        // A connection of its own: the processes take turns.
        const envoy = new ModelEnvoy(port);
        const outcome = await envoy.call({ headers: HEADERS, parts: [BODY] }, ({ body }) => ({
          headers: { ':status': '200', 'content-type': 'application/json' },
          parts: [body],
        }));
        envoy.close();
        if (outcome.kind !== 'answer') throw new Error(outcome.kind);
        sent.add(outcome.sent.body.toString());
        expect(outcome.body.toString()).to.equal(BODY.toString());
      }
      expect(sent.size).to.equal(1);
      expect([...sent].join()).to.match(/<EMAIL_ADDRESS_\w+>/);
    } finally {
      await service.stop();
    }
  });
});
