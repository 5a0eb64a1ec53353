/** Syncs the record of one resource with its spec: observes it, and then creates or updates it if required. */
import { GatewayError } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import type { Change, Comparison, ExternalDependencies, ExternalRecord, Run } from './adapter.ts';
import type { External, Outcome } from './resource.ts';

/**
 * Observes first, unless the record is created first. Writes the finalizer and the owner mark only before a change or an adoption.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource is deleted: nothing has
 *   been written then
 */
export async function syncRecord<T extends External, Field extends string, R, C extends Comparison>(
  dependencies: ExternalDependencies<T, Field>,
  run: Run<T, Field>,
  record: ExternalRecord<R, C>,
): Promise<Outcome> {
  const known = await record.withoutLookup();
  if (known !== undefined) return known;
  const found = record.createsFirst ? undefined : await record.observe('first');
  if (isObserveOnly(run.latest)) return record.observed(found);
  await record.begin();
  if (found !== undefined) return await update(dependencies, run, record, found);
  try {
    return await create(dependencies, run, record);
  } catch (error) {
    if (!record.mayExist(error)) throw error;
    // Another client created it. The gateway may check the fields before it detects a duplicate.
    const existing = await record.observe();
    if (existing === undefined) throw error;
    record.loseCreation();
    return await update(dependencies, run, record, existing);
  }
}

async function create<T extends External, Field extends string, R, C extends Comparison>(
  { finalizer, metrics }: ExternalDependencies<T, Field>,
  run: Run<T, Field>,
  record: ExternalRecord<R, C>,
): Promise<Outcome> {
  await record.announceCreation();
  finalizer.beforeExternalWrite(run.latest);
  await record.create();
  if (run.claim.ownership.state === 'owned') metrics.drift.inc();
  const change = { comparison: undefined, action: record.createdAction(), isCorrection: false };
  return await conclude(run, record, change);
}

async function update<T extends External, Field extends string, R, C extends Comparison>(
  { finalizer, metrics }: ExternalDependencies<T, Field>,
  run: Run<T, Field>,
  record: ExternalRecord<R, C>,
  found: R,
): Promise<Outcome> {
  const refused = await record.refuse(found);
  if (refused !== undefined) return refused;
  const comparison = record.compare(found);
  const adopted = record.adoptedAction(found);
  if (comparison.isUpToDate) {
    await run.ensureMarked([]);
    return record.upToDate(comparison, adopted);
  }
  await record.announce(comparison);
  finalizer.beforeExternalWrite(run.latest);
  await record.update(comparison);
  const isCorrection = run.claim.ownership.state === 'owned' && !comparison.specChanged;
  if (isCorrection) metrics.drift.inc();
  const action = adopted ?? record.updatedAction(comparison);
  return await conclude(run, record, { comparison, action, isCorrection });
}

async function conclude<T extends External, Field extends string, R, C extends Comparison>(
  run: Run<T, Field>,
  record: ExternalRecord<R, C>,
  change: Change<C>,
): Promise<Outcome> {
  const after = await record.observe();
  if (after === undefined) {
    throw new GatewayError(
      'transient',
      record.lookup,
      `The gateway accepted the ${record.noun} but does not report it. A replica of the gateway may be behind, or the ${record.noun} was deleted.`,
    );
  }
  await run.ensureMarked([]);
  return record.written(after, change);
}
