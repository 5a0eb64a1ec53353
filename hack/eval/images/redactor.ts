/** Redacts pictures as the guardrail does, in a process of its own, so that its time and its memory can be measured. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { processUsage, type ProcessUsage } from './processUsage.ts';
import type { RedactionRequest, RedactionReply } from './redactorProgram.ts';

export interface MeasuredRedaction extends RedactionReply {
  /** Processor time of all processes, in milliseconds. */
  readonly cpuMs: number;
}

export interface Redactor {
  /** @throws Error if the process ends or fails */
  redact(request: RedactionRequest): Promise<MeasuredRedaction>;
  /** The most memory of the process that reads, in bytes. */
  peakBytes(): number;
  close(): Promise<void>;
}

/** Starts the process. */
export function startRedactor(): Redactor {
  const child = fork(new URL('./redactorProgram.ts', import.meta.url), { serialization: 'advanced' });
  let peak = 0;
  const usage = (): ProcessUsage => {
    const now = processUsage(child.pid ?? 0);
    peak = Math.max(peak, now.peakBytes);
    return now;
  };
  return {
    redact: async (request) => {
      const before = usage();
      child.send(request);
      const reply = await replyOf(child);
      return { ...reply, cpuMs: usage().cpuMs - before.cpuMs };
    },
    peakBytes: () => peak,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function replyOf(child: ChildProcess): Promise<RedactionReply> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const [reply] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => {
        throw new Error('The process that redacts pictures ended.');
      }),
    ])) as [RedactionReply | { readonly error: string }];
    if ('error' in reply) throw new Error(reply.error);
    return reply;
  } finally {
    waiting.abort();
  }
}
