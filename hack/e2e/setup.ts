/** Runs around each test of a case: reaches the cluster, and prints diagnostics when a test fails. */
import { collectDiagnostics } from './diagnostics.ts';
import { useCluster, type Handover } from './environment.ts';

const { E2E_HANDOVER: handover } = process.env;
if (handover === undefined) throw new Error('Run these cases with npm run e2e.');
useCluster(JSON.parse(handover) as Handover);

/** See mocha's root hooks. */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state === 'failed') console.log(await collectDiagnostics());
  },
};
