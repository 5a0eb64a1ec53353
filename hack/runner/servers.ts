/** The servers that test files share. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '../harness/controlplane.ts';
import { ensureBinaries } from '../harness/controlplane/binaries.ts';
import type { Progress } from '../harness/progress.ts';
import { findRedisServer } from '../harness/redis.ts';

/** A control plane that starts. */
export interface StartingControlPlane {
  /** Variables with which tests find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when its programs are there. */
  readonly programs: Promise<unknown>;
  /** Resolves when it is ready. */
  readonly ready: Promise<unknown>;
  stop(): Promise<void>;
}

/** What a run needs from the servers. */
export interface TestServers {
  /** Finds Redis, or fetches it. */
  findRedis(progress: Progress): Promise<unknown>;
  /** Finds the programs of a control plane, or fetches them. A new machine builds them for minutes. */
  findControlPlane(progress: Progress): Promise<unknown>;
  /** Starts the control plane that the files of a run share. */
  startControlPlane(progress: Progress): StartingControlPlane;
}

export const realServers: TestServers = {
  findRedis: (progress) => progress.step('Redis for tests', findRedisServer),
  findControlPlane: (progress) =>
    progress.step('Control plane for tests', (report) =>
      ensureBinaries(['kube-apiserver', 'etcd', 'kubectl'], { report }),
    ),
  startControlPlane(progress) {
    const dir = mkdtempSync(join(tmpdir(), 'test-control-plane-'));
    const programs = realServers.findControlPlane(progress);
    const ready = programs.then(() => startControlPlane({ dir, temporary: true }));
    // The tasks that need it report the error.
    ready.catch(() => undefined);
    return {
      env: { TEST_CONTROL_PLANE: dir },
      programs,
      ready,
      stop: () =>
        ready.then(
          (plane) => plane.stop(),
          () => undefined,
        ),
    };
  },
};
