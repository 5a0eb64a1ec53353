import type { Member, Node } from '../../messages/messages.ts';
import type { Steps } from '../../eventLoop.ts';

/**
 * Visits the elements of an array, or the members of an object, in order and in steps. The walks over bodies consist of it, so that
 * no body takes long without a yield, whatever its shape is.
 * @param visit does at once what takes no time, and returns the rest of the work; undefined: nothing is left
 * @param isStep shared by all lists of a walk; see {@link createStepCounter}
 */
export function* inOrder<T extends Node | Member>(
  elements: readonly T[],
  visit: (element: T) => Steps<void> | undefined,
  isStep: (units: number) => boolean,
): Steps<void> {
  for (const element of elements) {
    const rest = visit(element);
    if (rest) yield* rest;
    if (isStep(unitsOf(element))) yield;
  }
}

/** The length of what is read of an element without its descendants. */
function unitsOf(element: Node | Member): number {
  const node = 'kind' in element ? element : element.node;
  return node.kind === 'string' ? node.end - node.start : 0;
}
