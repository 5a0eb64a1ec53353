import { MAX_VALUES } from '../detection/detection.ts';
import { isObject, type JsonObject } from '../messages/messages.ts';
import { PresidioError } from './errors.ts';

/** An entity in a text. Its positions are code points, as in Python. */
export interface EntityPosition {
  readonly start: number;
  readonly end: number;
  readonly entityType: string;
  /** null: unknown. */
  readonly score: number | null;
}

/** A result of an analyzer, which the anonymizer receives. */
export interface AnalyzerResult extends EntityPosition {
  readonly score: number;
}

/** The results of an analyzer in a request. @throws PresidioError */
export function readAnalyzerResults(value: unknown): AnalyzerResult[] {
  if (value === undefined || value === null) {
    throw new PresidioError(422, 'Invalid input, request must contain analyzer results');
  }
  return elements(value, 'analyzer_results').map((each) => {
    const { score, ...position } = readPosition(each);
    if (score === null) throw new PresidioError(422, 'Invalid input, analyzer result must contain score');
    return { ...position, score };
  });
}

/** The results of an anonymizer in a request. @throws PresidioError */
export function readAnonymizerResults(value: unknown): EntityPosition[] {
  return value === undefined || value === null ? [] : elements(value, 'anonymizer_results').map(readPosition);
}

function elements(value: unknown, field: string): JsonObject[] {
  if (!Array.isArray(value)) throw new PresidioError(422, `${field} must be an array.`);
  if (value.length > MAX_VALUES) {
    throw new PresidioError(422, `${field} must have at most ${MAX_VALUES} items. Split the text.`);
  }
  return value.map((each: unknown) => {
    if (!isObject(each)) throw new PresidioError(422, `${field} must contain objects.`);
    return each;
  });
}

function readPosition(value: JsonObject): EntityPosition {
  const start = readOffset(value.start, 'start');
  const end = readOffset(value.end, 'end');
  const { entity_type: entityType, score = null } = value;
  if (entityType === undefined || entityType === null || entityType === '') {
    throw new PresidioError(422, 'Invalid input, result must contain entity_type');
  }
  if (typeof entityType !== 'string') throw new PresidioError(422, "Invalid parameter value for 'entity_type'.");
  if (start < 0 || end < 0) throw new PresidioError(422, 'Invalid input, result start and end must be positive');
  if (start > end) {
    throw new PresidioError(422, `Invalid input, start index '${start}' must be smaller than end index '${end}'`);
  }
  if (score !== null && typeof score !== 'number') throw new PresidioError(422, "Invalid parameter value for 'score'.");
  return { start, end, entityType, score };
}

/** JSON does not tell 1.0 from 1, which Presidio refuses. */
function readOffset(value: unknown, name: string): number {
  if (value === undefined || value === null) throw new PresidioError(422, `Invalid input, result must contain ${name}`);
  if (typeof value === 'string') {
    throw new PresidioError(422, `Invalid parameter value for ${name}. Expecting 'number', but got 'string'.`);
  }
  if (!Number.isSafeInteger(value)) throw new PresidioError(422, `Invalid parameter value for '${name}'.`);
  return value as number;
}
