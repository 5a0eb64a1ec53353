import { EntityFinder } from './entityFinder.ts';
import { loadNameModels } from './nameModels.ts';

/**
 * @returns a finder with the shipped files. Frees the tables that it has copied to the memory of the kernel: until the next
 * collection, they would be 7 MB.
 */
export function shippedFinder(): EntityFinder {
  const models = loadNameModels();
  const finder = new EntityFinder(models);
  const { model, classifier, networks } = models;
  for (const { rows } of [model, classifier, ...networks])
    if (rows.buffer instanceof ArrayBuffer) rows.buffer.transfer(0);
  return finder;
}
