import type { EntityCount } from '../pseudonymization/pseudonymization.ts';
import type { AuditNotes } from './contract.ts';

/** Adds findings to those that a call has. A stream can go on for hours, so they are kept as one count for each kind. */
export function noteEntities(notes: AuditNotes, found: readonly EntityCount[]): void {
  if (found.length === 0) return;
  const counts = new Map<string, EntityCount>();
  for (const entity of [...(notes.entities ?? []), ...found]) {
    const name = JSON.stringify([entity.type, entity.detector, entity.action]);
    counts.set(name, { ...entity, count: entity.count + (counts.get(name)?.count ?? 0) });
  }
  notes.entities = [...counts.values()];
}
