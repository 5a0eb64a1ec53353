/** The OpenTelemetry Collector, which is built from Go modules once and cached. It sends on what it receives as JSON. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ensureGoProgram } from './goProgram.ts';
import { freePort, portInUse, startProcess, temporaryFolder, waitUntilReady } from './processes.ts';
import type { Report } from './progress.ts';

/** A running collector. */
export interface Collector {
  /** The address for OTLP over HTTP. */
  readonly http: string;
  /** The address for OTLP over gRPC. */
  readonly grpc: string;
  stop(): Promise<void>;
}

/**
 * Starts a collector.
 * @param target where it sends on all that it receives, as JSON over HTTP
 * @throws Error with the remedy if it cannot be built
 */
export async function startCollector(target: string, report?: Report): Promise<Collector> {
  const command = await ensureGoProgram('otelcol', report);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(command, target);
    } catch (error) {
      // Another process can take a free port first.
      if (attempt === 3) throw error;
    }
  }
}

async function startOn(command: string, target: string): Promise<Collector> {
  const folder = temporaryFolder('otelcol-');
  const [http, grpc] = [await freePort(), await freePort()];
  const pipeline = { receivers: ['otlp'], exporters: ['otlp_http'] };
  const config = {
    receivers: {
      otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` }, grpc: { endpoint: `127.0.0.1:${grpc}` } } },
    },
    exporters: {
      otlp_http: { endpoint: target, encoding: 'json', compression: 'none', sending_queue: { enabled: false } },
    },
    service: { pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline } },
  };
  writeFileSync(join(folder, 'config.yaml'), stringify(config));
  const args = [`--config=${join(folder, 'config.yaml')}`];
  const child = await startProcess({ name: 'otelcol', command, args, logFile: join(folder, 'otelcol.log') });
  const isListening = async (): Promise<boolean> => (await portInUse(http)) && (await portInUse(grpc));
  await waitUntilReady(child, isListening, 20_000);
  return { http: `http://127.0.0.1:${http}`, grpc: `http://127.0.0.1:${grpc}`, stop: () => child.stop() };
}
