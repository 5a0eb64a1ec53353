/**
 * Audit lines of several worker processes. The primary process writes them, because two writers would mix their lines. A
 * worker sends one batch at a time and waits for its outcome, so its queue is the only one.
 */
import type cluster from 'node:cluster';
import * as z from 'zod';
import type { AuditOutput } from '../settings/settings.ts';
import { waitBriefly } from './closing.ts';
import type { LineOutput } from './contract.ts';
import type { LineWriter } from './lineWriter.ts';

/** Lines for one of the outputs in the settings, which both processes have in the same order. */
const batchSchema = z.object({ auditBatch: z.int().min(0), output: z.int().min(0), lines: z.string() });
const outcomeSchema = z.object({ auditOutcome: z.int().min(0), problem: z.string().optional() });

type Batch = z.infer<typeof batchSchema>;
type Outcome = z.infer<typeof outcomeSchema>;

/** A batch that the primary process could not write. The code is that of its error. */
class WriteError extends Error {
  override readonly name = 'WriteError';
  readonly code: string;
  constructor(code: string) {
    super('The primary process could not write the audit events.');
    this.code = code;
  }
}

/** A process with which messages are exchanged: a worker's own, or a worker of the primary process. */
export interface Channel {
  send(message: object, done: (error: Error | null) => void): void;
  onMessage(receive: (message: unknown) => void): void;
}

/** The channel of a worker to the primary process. */
export function primaryChannel(): Channel {
  return {
    send: (message, done) => {
      if (process.send) process.send(message, undefined, undefined, done);
      else done(new WriteError('ERR_IPC_CHANNEL_CLOSED'));
    },
    onMessage: (receive) => {
      process.on('message', receive);
    },
  };
}

/** Creates the writers of a worker, each of which sends its lines to the primary process. */
export function workerWriters(outputs: readonly AuditOutput[], channel: Channel): (output: LineOutput) => LineWriter {
  const waiting = new Map<number, (problem?: string) => void>();
  let next = 0;
  channel.onMessage((message) => {
    const { data } = outcomeSchema.safeParse(message);
    if (!data) return;
    waiting.get(data.auditOutcome)?.(data.problem);
    waiting.delete(data.auditOutcome);
  });
  return (output) => ({
    write: (lines) =>
      new Promise((resolve, reject) => {
        const auditBatch = next++;
        waiting.set(auditBatch, (problem) => {
          if (problem === undefined) resolve();
          else reject(new WriteError(problem));
        });
        const message: Batch = { auditBatch, output: outputs.indexOf(output), lines };
        channel.send(message, (error) => {
          if (!error) return;
          waiting.delete(auditBatch);
          reject(new WriteError('ERR_IPC_CHANNEL_CLOSED'));
        });
      }),
    close: () => Promise.resolve(),
  });
}

/** Writes what the workers of this primary process send. */
export interface AuditRelay {
  /** Waits for what is being written. Call it when all workers have disconnected. */
  close(): Promise<void>;
}

/** Writes the lines of workers, batch after batch. */
export function relayAudit(
  outputs: readonly AuditOutput[],
  openWriter: (output: LineOutput) => LineWriter,
): { receive(message: unknown, reply: (outcome: object) => void): void; close(): Promise<void> } {
  const writers = outputs.map((output) => (output.kind === 'otlp' ? undefined : openWriter(output)));
  const last = writers.map(() => Promise.resolve());
  return {
    receive(message, reply) {
      const { data } = batchSchema.safeParse(message);
      const writer = data && writers[data.output];
      if (!data || !writer) return;
      const { auditBatch: auditOutcome, output, lines } = data;
      last[output] = (last[output] ?? Promise.resolve())
        .then(() => writer.write(lines))
        .then(
          () => {
            reply({ auditOutcome } satisfies Outcome);
          },
          (error: unknown) => {
            reply({ auditOutcome, problem: (error as NodeJS.ErrnoException).code ?? 'unknown' } satisfies Outcome);
          },
        );
    },
    async close() {
      await waitBriefly(Promise.all(last));
      await Promise.all(writers.flatMap((writer) => (writer ? [writer.close()] : [])));
    },
  };
}

/** Relays the lines of all workers of this process. */
export function relayWorkers(
  primary: typeof cluster,
  outputs: readonly AuditOutput[],
  openWriter: (output: LineOutput) => LineWriter,
): AuditRelay {
  const relay = relayAudit(outputs, openWriter);
  primary.on('message', (worker, message) => {
    relay.receive(message, (outcome) => {
      // A worker that has ended needs no outcome.
      if (worker.isConnected()) worker.send(outcome, () => undefined);
    });
  });
  return relay;
}
