/** Finds the message that contains each place of a request's body. */
import { createStepCounter, type Steps } from '../../eventLoop.ts';
import { AFTER_ALL, BEFORE_ALL, numberOfMessage } from '../../pseudonymization/pseudonymization.ts';
import type { BodySource } from '../source.ts';

/** Members whose list has messages, or inputs that do not belong together. */
const LISTS: ReadonlySet<string> = new Set([
  ...['messages', 'input', 'contents', 'items', 'requests', 'prompt', 'documents'],
]);

/** Members that say how all messages are read, besides definitions of tools and schemas. */
const INSTRUCTIONS: ReadonlySet<string> = new Set([
  ...['system', 'instructions', 'systemInstruction', 'system_instruction', 'prompt', 'query'],
]);

/** A part of a body, and the number of its message. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly message: number;
}

/**
 * @returns a function from an offset in the body to the number of its message; undefined if the body is one document. Members
 *   beside the messages, such as metadata, differ from call to call: they come after all messages, so that they change none
 */
export function* readingMessages({
  root,
  members,
  inner,
}: BodySource): Steps<((offset: number) => number) | undefined> {
  // The requests of a batch are one document, as the lines of a batch file are.
  if (root.kind !== 'object' || (inner && inner.size > 0)) return undefined;
  const isStep = createStepCounter();
  const parts: Part[] = [];
  let count = 0;
  let hasList = false;
  for (const { name, node } of root.members) {
    if (isStep(0)) yield;
    const role = members.get(name.value);
    if (LISTS.has(name.value) && node.kind === 'array' && (role === 'text' || role === 'plain')) {
      hasList = true;
      for (const { start, end } of node.items) {
        parts.push({ start, end, message: numberOfMessage(count++) });
        if (isStep(0)) yield;
      }
    } else if (INSTRUCTIONS.has(name.value) || role === 'tools')
      parts.push({ start: name.start, end: node.end, message: BEFORE_ALL });
  }
  return hasList ? (offset) => partAt(parts, offset)?.message ?? AFTER_ALL : undefined;
}

/** @param parts in ascending order and disjoint */
function partAt(parts: readonly Part[], offset: number): Part | undefined {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const part = parts[low];
  return part && part.start <= offset ? part : undefined;
}
