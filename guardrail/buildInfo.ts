/** Which build of the project runs. Both programs report it. */
import { Gauge, type Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

/** The version of the project. */
export const VERSION = packageJson.version;

/** The environment variable with the revision. The image sets it. */
const REVISION_VARIABLE = 'BUILD_REVISION';
const REVISION = /^[0-9a-f]{7,64}$/;

/**
 * Registers a gauge that is always 1, whose labels say which build runs.
 * @param name ends with `_build_info`
 */
export function registerBuildInfo(
  registry: Registry,
  name: `${string}_build_info`,
  env: NodeJS.ProcessEnv = process.env,
): void {
  const revision = env[REVISION_VARIABLE] ?? '';
  new Gauge({
    name,
    help: 'Version and source revision of this build, and the version of Node.js: always 1.',
    labelNames: ['version', 'revision', 'node_version'],
    registers: [registry],
    // Every worker is the same build.
    aggregator: 'max',
  }).set(
    {
      version: VERSION,
      revision: REVISION.test(revision) ? revision : 'unknown',
      node_version: process.versions.node,
    },
    1,
  );
}
