/** The audit trail: one event for each guarded call, its sinks, and the report about it. */
export type {
  AuditedCall,
  AuditNotes,
  AuditSink,
  AuditTrail,
  Erasure,
  LineOutput,
  PolicyRevisions,
} from './contract.ts';
export { openLineWriter, type LineWriter } from './lineWriter.ts';
export type { QueueObserver } from './queue.ts';
export { runReport } from './reportCommand.ts';
export { noteEntities } from './notes.ts';
export { openSink } from './sinks.ts';
export { createAuditTrail } from './trail.ts';
export { primaryChannel, relayWorkers, workerWriters, type AuditRelay } from './workers.ts';
