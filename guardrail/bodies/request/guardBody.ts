import { createYielder, inSlices, type Steps } from '../../eventLoop.ts';
import {
  BEFORE_ALL,
  type CallContext,
  type Guard,
  type RequestDocument,
  type RequestOutcome,
} from '../../pseudonymization/pseudonymization.ts';
import type { GuardedBody, RequestBody } from '../contract.ts';
import { joined } from '../lists.ts';
import type { Operation } from '../operations.ts';
import type { Checkable } from './checkable.ts';
import { readingQuery } from './form.ts';
import { planOf } from './plan.ts';
import { planningBody } from './readBody.ts';

/**
 * Pseudonymizes a request's body and query in place: what does not change keeps its bytes. All parts of a request, such as the
 * lines of a batch and the fields of a form, are one document: a value that is found in one is replaced in all. Of a list of
 * messages, a value is replaced from the message on that has it first. A policy that blocks one part blocks the request before
 * anything is stored.
 * @throws BodyError if the body cannot be checked, and the errors of {@link Guard.request}
 */
export async function guardBody(
  operation: Operation,
  request: RequestBody,
  guard: Guard,
  context: CallContext,
): Promise<GuardedBody> {
  const { query } = request;
  const yieldIfDue = createYielder();
  const inQuery = planOf(query === undefined || query === '' ? [] : [await inSlices(readingQuery(query), yieldIfDue)]);
  const planning = inSlices(planningBody(operation, request), yieldIfDue);
  const inBody = planning instanceof Promise ? await planning : planning;
  const parts = [...inQuery.parts, ...inBody.parts];
  const outcome = await check(parts, guard, context);
  const { session, entities, monitored, unreadLines } = outcome;
  const base = {
    ...{ session, entities },
    ...(monitored && { monitored }),
    ...(unreadLines !== undefined && { unreadLines }),
  };
  if (outcome.action === 'BLOCKED') return { ...base, action: 'BLOCKED', reason: outcome.blockedReason };
  if (outcome.action === 'NONE') return { ...base, action: 'NONE' };
  const sent = await inSlices(rewriting(parts, outcome));
  const body = inBody.join(sent.slice(inQuery.parts.length));
  const changed = inQuery.join(sent.slice(0, inQuery.parts.length)).toString();
  return { ...base, action: 'GUARDRAIL_INTERVENED', body, ...(changed !== '' && { query: changed }) };
}

async function check(parts: readonly Checkable[], guard: Guard, context: CallContext): Promise<RequestOutcome> {
  const passages = joined(parts.map((part) => part.passages));
  const images = joined(parts.map((part) => part.images));
  const hasFiles = parts.some((part) => part.hasFiles);
  if (passages.length === 0 && images.length === 0 && !hasFiles) {
    return { session: guard.sessionOf(context.identity), entities: [], action: 'NONE' };
  }
  const imageMessages = joined(parts.map((part) => part.imageMessages ?? part.images.map(() => BEFORE_ALL)));
  const document: RequestDocument = {
    ...{ texts: [], passages, hasFiles },
    ...(images.length > 0 && { images, imageMessages }),
  };
  return guard.request(document, context);
}

/** The bytes of each part, with the replacements. */
function* rewriting(
  parts: readonly Checkable[],
  changed: Extract<RequestOutcome, { action: 'GUARDRAIL_INTERVENED' }>,
): Steps<Buffer[]> {
  const sent: Buffer[] = [];
  let nextText = 0;
  let nextImage = 0;
  for (const { passages, images, write } of parts) {
    const texts = (changed.passages ?? []).slice(nextText, (nextText += passages.length)).map(({ text }) => text);
    const urls = (changed.images ?? []).slice(nextImage, (nextImage += images.length));
    const written = write(texts, urls);
    sent.push(Buffer.isBuffer(written) ? written : yield* written);
    yield;
  }
  return sent;
}
