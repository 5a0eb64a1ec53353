/** The requests of Presidio's anonymizer. Pure: nothing is stored, and no session is created. */
import { toUtf16 } from '../detection/detection.ts';
import type { Steps } from '../eventLoop.ts';
import { isObject, type JsonObject } from '../messages/messages.ts';
import { codePointLength } from './codePoints.ts';
import { resolveConflicts } from './conflicts.ts';
import { PresidioError } from './errors.ts';
import { operate, type CodePointText, type EngineResult } from './operate.ts';
import { ANONYMIZERS, DEANONYMIZERS, readOperators, type OperatorConfig } from './operators.ts';
import { readAnalyzerResults, readAnonymizerResults } from './results.ts';

const DEFAULT = 'DEFAULT';
const REPLACE: OperatorConfig = { name: 'replace', params: {} };

/** Answers `POST /anonymize`, in steps. @throws PresidioError */
export function* anonymize(body: unknown): Steps<EngineResult> {
  const content = contentOf(body);
  const operators = readOperators(content.anonymizers, 'anonymizers');
  if ([...operators.values()].some(({ name }) => name === 'custom')) {
    throw new PresidioError(400, 'Custom type anonymizer is not supported');
  }
  const results = readAnalyzerResults(content.analyzer_results);
  const text = textOf(content);
  const resolved = resolveConflicts(results, (start, end) => /^ +$/.test(text.slice(start, end)));
  const last = [...resolved].sort((a, b) => b.start - a.start || b.end - a.end);
  const otherwise = operators.get(DEFAULT) ?? REPLACE;
  return yield* operate(text, last, (type) => operators.get(type) ?? otherwise, ANONYMIZERS);
}

/** Answers `POST /deanonymize`, in steps. @throws PresidioError */
export function* deanonymize(body: unknown): Steps<EngineResult> {
  const content = contentOf(body);
  const text = textOf(content);
  const entities = readAnonymizerResults(content.anonymizer_results);
  const operators = readOperators(content.deanonymizers, 'deanonymizers');
  const last = [...entities].sort((a, b) => b.start - a.start);
  return yield* operate(text, last, (type) => operators.get(type) ?? required(operators.get(DEFAULT)), DEANONYMIZERS);
}

function contentOf(body: unknown): JsonObject {
  if (!isObject(body) || Object.keys(body).length === 0) throw new PresidioError(400, 'Invalid request json');
  return body;
}

function textOf({ text = '' }: JsonObject): CodePointText {
  if (typeof text !== 'string') throw new PresidioError(422, 'text must be a string.');
  const at = toUtf16(text);
  return { length: codePointLength(text), slice: (start, end) => text.slice(at(start), at(end)) };
}

function required(operator: OperatorConfig | undefined): OperatorConfig {
  if (!operator) throw new PresidioError(422, 'deanonymizers must have an operator for each entity type, or DEFAULT.');
  return operator;
}
