/** For tests: guardrails without pods. */
import type { AcceptedRevisions, AskPods, LoadedPart } from '../enforcement.ts';

/** Pods that have everything at once. */
export const currentPods: AskPods = (_, expected) => Promise.resolve(partsOf(expected));

/** The parts that are expected, or those of them that are named. */
export function partsOf(expected: AcceptedRevisions, named?: readonly LoadedPart[]): ReadonlySet<LoadedPart> {
  const parts = Object.keys(expected) as LoadedPart[];
  return new Set(parts.filter((part) => named === undefined || named.includes(part)));
}
