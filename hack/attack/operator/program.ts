/** The operator with the limits of its pod. */
import { quantityBytes } from '../../../operator/guardrail/memory.ts';
import type { ControlPlane } from '../../harness/controlplane.ts';
import { operatorContainer } from '../../harness/operatorContainer.ts';
import { Program } from '../program.ts';

/** The lease of a killed operator expires after 15 s. */
const READY_MS = 45_000;

/** The namespace of the operator and of its lease. */
export const HOME = 'attack-operator';

/** Starts the operator, and waits until it is the leader. */
export function startOperator(plane: ControlPlane): Promise<Program> {
  const { memory } = operatorContainer().resources.limits;
  return Program.start({
    name: 'the operator',
    script: 'operator/main.ts',
    nodeArguments: [`--max-old-space-size=${Math.floor((quantityBytes(memory) ?? 0) / 2 / 2 ** 20)}`],
    memory,
    args: ({ port, metricsPort }) => [
      `--namespace=${HOME}`,
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      `--metrics-port=${metricsPort}`,
    ],
    env: () => ({ KUBECONFIG: plane.kubeconfig }),
    foreign: /^OPERATOR_/,
    isReady: async (program) => {
      const metrics = await program.metrics().catch(() => '');
      return /^leader_election_master_status(?:\{.*\})? 1$/m.test(metrics);
    },
    readyMs: READY_MS,
  });
}
