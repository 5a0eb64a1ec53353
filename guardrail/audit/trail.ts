/** The audit trail of the service: makes the event of each call, and passes it to all sinks. */
import { errorType } from '../errorType.ts';
import { Answers } from './answers.ts';
import { waitBriefly } from './closing.ts';
import type { AuditSink, AuditTrail } from './contract.ts';
import type { AuditEvent } from './event.ts';
import { eventOf, type EventOptions } from './eventOf.ts';
import { EventQueue, type QueueObserver } from './queue.ts';
import { noteTrace } from './traces.ts';

/** How often answers that have ended are looked for, in milliseconds. */
const SWEEP_MS = 1000;

export interface TrailOptions extends EventOptions {
  readonly sinks: readonly AuditSink[];
  readonly observer: QueueObserver;
}

export function createAuditTrail({ sinks, observer, ...options }: TrailOptions): AuditTrail {
  const queues = sinks.map((sink) => new EventQueue(sink, observer));
  const answers = new Answers();
  const pass = (events: readonly AuditEvent[]): void => {
    for (const event of events) for (const queue of queues) queue.add(event);
  };
  const sweep = setInterval(() => {
    pass(answers.ended(performance.now()));
  }, SWEEP_MS).unref();
  return {
    record(call) {
      try {
        const counts = call.notes.phase === 'piece' ? 'sum' : 'latest';
        pass(answers.add(noteTrace(eventOf(call, options)), counts, performance.now()));
      } catch (error) {
        // An event must not cost a call its answer.
        for (const { name } of sinks) observer.dropped(name, 1);
        for (const { name } of sinks) observer.failed(name, errorType(error));
      }
    },
    async close() {
      clearInterval(sweep);
      pass(answers.all());
      await waitBriefly(Promise.all(queues.map((queue) => queue.drained())));
      await waitBriefly(Promise.all(queues.map((queue) => queue.close())));
    },
  };
}
