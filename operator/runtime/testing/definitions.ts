import type { KubeConfig } from '@kubernetes/client-node';
import { RestClient } from '../client/client.ts';
import { Transport } from '../client/transport.ts';
import { systemClock } from '../clock.ts';
import { ensureCrd, readCrd } from '../manager/crds.ts';
import { silentLog, transportOptions } from './widgets.ts';

/**
 * Installs definitions as an operator does, and waits until the API server serves them.
 * @param files their YAML files
 * @param revisionAnnotation the annotation with the revision of a definition
 */
export async function installDefinitions(
  kubeConfig: KubeConfig,
  files: readonly string[],
  revisionAnnotation: string,
): Promise<void> {
  const transport = new Transport(kubeConfig, transportOptions());
  const dependencies = {
    ...{ client: new RestClient(transport), clock: systemClock, log: silentLog },
    ...{ revisionAnnotation, install: true },
  };
  try {
    await Promise.all(files.map(async (file) => ensureCrd(await readCrd(file), dependencies)));
  } finally {
    await transport.close();
  }
}
