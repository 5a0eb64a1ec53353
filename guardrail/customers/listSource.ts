/** Follows the folder with the shards of the customer list. */
import { followFolder, type FolderContent, type Live } from '../liveFolder.ts';
import { readCustomerList, type CustomerList } from './readList.ts';
import { MAX_SHARDS, shardName } from './writeList.ts';

/**
 * Opens a customer list, and follows its changes. While its files are incomplete or damaged, the last valid list stays in
 * force.
 * @param use what is made of each list, before it is in force. A list that it refuses does not come into force.
 * @param report receives each problem once. Its message completes the sentence "The list of customers …".
 */
export function openCustomerList<T>(
  folder: string,
  use: (list: CustomerList) => T,
  report: (problem: Error) => void,
  intervalMs?: number,
): Live<T | undefined> {
  const names = Array.from({ length: MAX_SHARDS }, (_, shard) => shardName(shard));
  const read = (files: FolderContent): T =>
    use(readCustomerList(new Map(names.flatMap((name, shard) => fileOf(files, name, shard)))));
  return followFolder({ folder, names, read, report, ...(intervalMs === undefined ? {} : { intervalMs }) });
}

function fileOf(files: FolderContent, name: string, shard: number): [number, string][] {
  const text = files.get(name);
  return text === undefined ? [] : [[shard, text]];
}
