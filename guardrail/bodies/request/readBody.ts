import type { Steps } from '../../eventLoop.ts';
import type { RequestBody } from '../contract.ts';
import { BodyError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { decodeUtf8 } from '../text.ts';
import { textPart } from './checkable.ts';
import { readingForm } from './form.ts';
import { readingJsonBody } from './json.ts';
import { boundaryOf, readParts, writeParts } from './multipart.ts';
import { checkingPart, type CheckedPart } from './parts.ts';
import { combined, planOf, type Plan } from './plan.ts';

/** Reads a body by its content type, in steps. @throws BodyError */
export function* planningBody(operation: Operation, body: RequestBody): Steps<Plan> {
  const { bytes, contentType = '' } = body;
  if (bytes.length === 0) return planOf([]);
  if (operation.hasNoBody === true) throw new BodyError('unexpected_body');
  const boundary = boundaryOf(contentType);
  if (boundary !== undefined) return yield* planningForm(operation, body, boundary);
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (parameters.some((one) => /^\s*charset\s*=\s*(?!"?utf-?8"?\s*$)/.test(one)))
    throw new BodyError('invalid_encoding');
  switch (type.trim()) {
    case 'application/x-www-form-urlencoded':
      return planOf([yield* readingForm(bytes)]);
    case 'text/plain':
      if (operation.api === 'unknown') return planOf([plainText(bytes)]);
      throw new BodyError('unsupported_media_type');
    default:
      // Model APIs read JSON without a content type, or with one of their own.
      if (type.trim() === '' || /^application\/(?:[a-z0-9.+-]*\+)?json$/.test(type.trim())) {
        return planOf([yield* readingJsonBody(operation, body)]);
      }
      throw new BodyError('unsupported_media_type');
  }
}

function plainText(bytes: Buffer): ReturnType<typeof textPart> {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new BodyError('invalid_encoding');
  return textPart(text, (changed) => Buffer.from(changed));
}

function* planningForm(operation: Operation, { bytes, hidesEndUser }: RequestBody, boundary: string): Steps<Plan> {
  const parts: CheckedPart[] = [];
  for (const part of readParts(bytes, boundary)) {
    parts.push(yield* checkingPart(operation, part, hidesEndUser));
    yield;
  }
  const plans = parts.flatMap(({ head, contents }) => [planOf(head), planOf(contents)]);
  return combined(plans, (joined) => {
    const written = parts.map(({ part }, at) => ({
      head: joined[2 * at]?.toString() ?? part.head,
      content: joined[2 * at + 1] ?? part.content,
    }));
    return writeParts(written, boundary);
  });
}
