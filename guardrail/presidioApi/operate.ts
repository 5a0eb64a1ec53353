/** Replaces entities of a text by operators, as Presidio's engines do. */
import { createStepCounter, type Steps } from '../eventLoop.ts';
import { codePointLength } from './codePoints.ts';
import { PresidioError } from './errors.ts';
import { operatorOf, type OperatorConfig, type Operators } from './operators.ts';
import type { EntityPosition } from './results.ts';

/** The answer of the anonymizer and the deanonymizer, with positions in the new text. */
export interface EngineResult {
  readonly text: string;
  readonly items: readonly {
    readonly start: number;
    readonly end: number;
    readonly entity_type: string;
    readonly text: string;
    readonly operator: string;
    readonly score: number | null;
  }[];
}

/** A text whose positions are code points. */
export interface CodePointText {
  readonly length: number;
  slice(start: number, end: number): string;
}

/**
 * The most characters that the operators of a call read and write: results that overlap, and long new values, could make them
 * many times those of the body.
 */
export const MAX_OPERATED = 32 * 1024 * 1024;

/**
 * Replaces entities from the last to the first. Where two of them overlap, each operator receives its whole value, and the later
 * replacement follows the earlier one.
 * @param entities in descending order of their starts
 * @param operatorFor the operator of an entity type
 * @throws PresidioError
 */
export function* operate(
  text: CodePointText,
  entities: readonly EntityPosition[],
  operatorFor: (entityType: string) => OperatorConfig,
  operators: Operators,
): Steps<EngineResult> {
  const isStep = createStepCounter();
  /** The parts of the new text, from the last to the first. */
  const parts: string[] = [];
  const items: (Omit<EngineResult['items'][number], 'start' | 'end'> & { readonly fromEnd: number })[] = [];
  let written = 0;
  const prepend = (part: string): void => {
    parts.push(part);
    written += codePointLength(part);
  };
  let operated = 0;
  let rest = text.length;
  for (const { start, end, entityType: entity_type, score } of entities) {
    requireInside(text, start, end);
    if (isStep(end - start)) yield;
    const { name, params } = operatorFor(entity_type);
    operated += end - start;
    requireBounded(operated);
    const changed = operatorOf(operators, name)(text.slice(start, end), params, entity_type);
    operated += changed.length;
    requireBounded(operated);
    prepend(text.slice(Math.min(end, rest), rest));
    prepend(changed);
    items.push({ fromEnd: written, entity_type, text: changed, operator: name, score });
    rest = start;
  }
  prepend(text.slice(0, rest));
  return {
    text: parts.reverse().join(''),
    items: items.map(({ fromEnd, ...item }) => {
      const start = written - fromEnd;
      return { start, end: start + codePointLength(item.text), ...item };
    }),
  };
}

function requireInside({ length }: CodePointText, start: number, end: number): void {
  if (end <= length) return;
  throw new PresidioError(
    422,
    `Invalid analyzer result, start: ${start} and end: ${end}, while text length is only ${length}.`,
  );
}

function requireBounded(operated: number): void {
  if (operated > MAX_OPERATED) {
    throw new PresidioError(422, 'The replaced values are too long together. Split the text.');
  }
}
