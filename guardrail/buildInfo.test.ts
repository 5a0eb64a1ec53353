import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createMetrics } from './http/middleware/metrics.ts';
import { registerBuildInfo, VERSION } from './buildInfo.ts';

describe('build info', () => {
  const cases: readonly (readonly [variable: string | undefined, label: string])[] = [
    ['0123456789abcdef0123456789abcdef01234567', '0123456789abcdef0123456789abcdef01234567'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['"} 1\nfaked 1', 'unknown'],
  ];
  for (const [variable, revision] of cases) {
    it(`has the revision ${revision} for ${JSON.stringify(variable ?? null)}`, async () => {
      const registry = new Registry();
      registerBuildInfo(registry, 'x_build_info', variable === undefined ? {} : { BUILD_REVISION: variable });
      const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '');
      const labels = `version="${VERSION}",revision="${revision}",node_version="${process.versions.node}"`;
      expect(lines).to.deep.equal([`x_build_info{${labels}} 1`]);
    });
  }

  it('is among the metrics of the guardrail', async () => {
    expect(await createMetrics().registry.metrics()).to.match(/^guardrail_build_info\{version="[0-9.]+",[^}]+\} 1$/m);
  });

  it('gets its revision from the image', () => {
    const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
    // The last stage only adds the compile cache to this one.
    const stage = dockerfile.split(/^FROM /m).find((text) => / AS image$/m.test(text));
    expect(stage).to.match(/^ARG REVISION=$[^]*^ENV BUILD_REVISION=\$REVISION$/m);
  });
});
