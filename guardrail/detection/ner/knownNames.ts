import type { Gazetteer } from './gazetteer.ts';
import { nameStart } from '../kernel/numbers.ts';
import { numbersAt, type Kernel } from '../kernelInstance.ts';

/** Flags of a known name: one that everybody knows. */
export const knownFlags = {
  /** The full name of a person of public life or history. */
  person: 1,
  /** The full name of a character of fiction or myth. */
  character: 2,
  /** A single word that commonly names such a person: Mozart, Zeus. */
  single: 4,
  /** A country, a region, a landmark, a large town. */
  place: 8,
  /** Anything else with a name: a product, a work, a dish, an event, an organisation, an eponym. */
  thing: 16,
} as const;

/** Hashes the words of a name, as the kernel does: see `wordHash`. */
export const nameHash = (words: Iterable<number>): number => {
  let hash: number = nameStart;
  for (const word of words) hash = Math.imul((hash ^ word) + 0x3c6ef372, 0x2c1b3c6d) ^ (hash >>> 13);
  return hash;
};

/**
 * Copies the names into a kernel, in the place of those that it had.
 * @param names the {@link knownFlags} of each name, by its {@link nameHash}
 */
export function reserveKnownNames(kernel: Kernel, { entries }: Gazetteer): void {
  kernel.reserveNames(entries.length);
  numbersAt(kernel, kernel.namesAt, entries.length).set(entries);
  kernel.indexNames();
}
