import type {
  CallContext,
  EntityCount,
  Guard,
  RequestDocument,
  RequestOutcome,
} from '../../pseudonymization/pseudonymization.ts';
import type { GuardedBody, RequestBody } from '../contract.ts';
import { joined } from '../lists.ts';
import type { Operation } from '../operations.ts';
import type { Checkable } from './checkable.ts';
import { queryPart } from './form.ts';
import { planOf } from './plan.ts';
import { planOfBody } from './readBody.ts';

/**
 * Pseudonymizes a request's body and query in place: what does not change keeps its bytes.
 * @throws BodyError if the body cannot be checked, and the errors of {@link Guard.request}
 */
export async function guardBody(
  operation: Operation,
  request: RequestBody,
  guard: Guard,
  context: CallContext,
): Promise<GuardedBody> {
  const { query } = request;
  const inQuery = planOf(query === undefined || query === '' ? [] : [queryPart(query)]);
  const inBody = planOfBody(operation, request);
  const report = new Report(guard, context);
  const sent: Buffer[] = [];
  let isChanged = false;
  for (const group of groupsOf([...inQuery.parts, ...inBody.parts])) {
    const outcome = await check(group, guard, context);
    report.add(outcome);
    if (outcome.action === 'BLOCKED') return { ...report.base(), action: 'BLOCKED', reason: outcome.blockedReason };
    isChanged ||= outcome.action === 'GUARDRAIL_INTERVENED';
    sent.push(...rewritten(group, outcome));
  }
  if (!isChanged) return { ...report.base(), action: 'NONE' };
  const body = inBody.join(sent.slice(inQuery.parts.length));
  const changed = inQuery.join(sent.slice(0, inQuery.parts.length)).toString();
  return { ...report.base(), action: 'GUARDRAIL_INTERVENED', body, ...(changed !== '' && { query: changed }) };
}

/** The texts of a group have at most this length, except those of one part. */
const MAX_GROUP = 64 * 1024;

/** Groups parts that are checked together: a batch has thousands of short lines, and each check asks the store. */
function groupsOf(parts: readonly Checkable[]): Checkable[][] {
  const groups: Checkable[][] = [];
  let size = Infinity;
  for (const part of parts) {
    const own = part.passages.reduce((sum, { text }) => sum + text.length, 0);
    const last = groups.at(-1);
    size += own;
    if (last && size <= MAX_GROUP) last.push(part);
    else {
      groups.push([part]);
      size = own;
    }
  }
  return groups;
}

async function check(group: readonly Checkable[], guard: Guard, context: CallContext): Promise<RequestOutcome> {
  const passages = joined(group.map((part) => part.passages));
  const images = joined(group.map((part) => part.images));
  const hasFiles = group.some((part) => part.hasFiles);
  if (passages.length === 0 && images.length === 0 && !hasFiles) {
    return { session: guard.sessionOf(context.identity), entities: [], action: 'NONE' };
  }
  const document: RequestDocument = { texts: [], passages, hasFiles, ...(images.length > 0 && { images }) };
  return guard.request(document, context);
}

function rewritten(group: readonly Checkable[], outcome: RequestOutcome): Buffer[] {
  const changed = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome : undefined;
  let nextText = 0;
  let nextImage = 0;
  return group.map(({ passages, images, write }) => {
    const texts = changed ? (changed.passages ?? []).slice(nextText, (nextText += passages.length)) : passages;
    const urls = (changed?.images ?? []).slice(nextImage, (nextImage += images.length));
    return write(
      texts.map(({ text }) => text),
      urls,
    );
  });
}

/** What is reported of a request that was checked in parts. */
class Report {
  private readonly guard: Guard;
  private readonly context: CallContext;
  private readonly counts = new Map<string, EntityCount>();
  private monitored: RequestOutcome['monitored'];

  constructor(guard: Guard, context: CallContext) {
    this.guard = guard;
    this.context = context;
  }

  add({ entities, monitored }: RequestOutcome): void {
    if (this.monitored !== 'BLOCKED') this.monitored = monitored ?? this.monitored;
    for (const one of entities) {
      const key = `${one.type}\n${one.detector}\n${one.action}`;
      this.counts.set(key, { ...one, count: one.count + (this.counts.get(key)?.count ?? 0) });
    }
  }

  base(): Pick<GuardedBody, 'session' | 'entities' | 'monitored'> {
    const { monitored } = this;
    const session = this.guard.sessionOf(this.context.identity);
    return { session, entities: [...this.counts.values()], ...(monitored && { monitored }) };
  }
}
