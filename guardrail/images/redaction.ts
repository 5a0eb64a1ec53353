import type { KeyObject } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  deriveSession,
  refuse,
  subjectOf,
  type CallContext,
  type EntityCount,
  type Guard,
  type RequestDocument,
  type RequestOutcome,
  type SessionScope,
} from '../pseudonymization/pseudonymization.ts';
import type { Finding } from '../detection/detection.ts';
import { imagesIn, withImages } from '../messages/messages.ts';
import type { MappingStore } from '../store/store.ts';
import { UnreadableImageError, type Box, type Picture, type PictureReader, type Reading } from './contract.ts';
import { dataUrlOf, isRemote, pictureOf } from './dataUrl.ts';
import { padded } from './boxes.ts';
import type { PictureText } from './ocrText.ts';
import { createReadings, type ReadingOwner } from './ocrCache.ts';
import { boxesOf, textsOf } from './readingOrders.ts';

export interface ImageGuardOptions {
  /** What becomes of images that are given themselves. */
  readonly images: 'redact' | 'block' | 'pass';
  /** What becomes of those that are given by an address, where images are redacted. */
  readonly remoteImages: 'block' | 'pass';
  readonly scope: SessionScope;
  readonly sessionKey: KeyObject;
  readonly store: MappingStore;
  readonly reader: PictureReader;
}

const REFUSED = 'This request holds an image, and images must not be shared with this model: send the text alone.';

/**
 * A guard that looks at the images of a request too. What stands in them is looked at together with the texts, so that one
 * person is one person and one policy decides; what is found in a picture is painted over in it.
 */
export function createImageGuard(guard: Guard, options: ImageGuardOptions): Guard {
  const { store, sessionKey, reader } = options;
  const readings = createReadings(store, sessionKey);

  async function request(document: RequestDocument, context: CallContext): Promise<RequestOutcome> {
    const sources = [...new Set([...(document.images ?? []), ...imagesIn(document.structuredMessages ?? [])])];
    if (sources.length === 0) return guard.request(document, context);
    if (options.images === 'block' || context.stricter?.images === 'block') return refuse(guard, context, REFUSED);
    if (options.images === 'pass') return guard.request(document, context);
    try {
      return await redact(document, context, sources);
    } catch (error) {
      if (error instanceof UnreadableImageError) {
        return refuse(guard, context, error.message);
      }
      throw error;
    }
  }

  async function redact(
    document: RequestDocument,
    context: CallContext,
    sources: readonly string[],
  ): Promise<RequestOutcome> {
    const owner = ownerOf(context);
    const inline = sources.filter((source) => !isRemote(source));
    // All of them are judged by their form before the first is read.
    const pictures = inline.map((source) => ({ source, picture: pictureOf(source) }));
    if (inline.length < sources.length && options.remoteImages === 'block') throw new UnreadableImageError('remote');
    const read = await together(context.signal, (signal) =>
      pictures.map(async (one) => ({ ...one, reading: await readingOf(one.picture, { ...context, signal }, owner) })),
    );
    const looked: ((typeof read)[number] & { readonly texts: readonly PictureText[] })[] = [];
    for (const one of read) {
      // A page full of words takes milliseconds, and a conversation sends all its pages again at each turn.
      if (looked.length > 0) await nextRound();
      looked.push({ ...one, texts: textsOf(one.reading) });
    }
    const pictureTexts = looked.flatMap(({ texts }) => texts.map(({ text }) => text));
    const { inPictures = [], ...outcome } = await guard.request({ ...document, pictureTexts }, context);
    let next = 0;
    const found = looked.map((one) => {
      const places = one.texts.flatMap((text, at) =>
        (inPictures[next + at] ?? []).map((finding): Place => ({ ...finding, boxes: boxesOf(text, finding) })),
      );
      next += one.texts.length;
      return { ...one, places };
    });
    const entities = found.reduce((counts, { places }) => withCounts(counts, places), outcome.entities);
    if (outcome.action === 'BLOCKED') return { ...outcome, entities };

    const planned = found.map(({ source, picture, reading, places }) => {
      const boxes = padded(
        places.flatMap((place) => place.boxes),
        reading,
      );
      return { source, picture, reading, boxes };
    });
    const changing = planned.filter(
      ({ picture, reading, boxes }) => boxes.length > 0 || picture.mayHoldMore || reading.isAltered,
    );
    if (changing.length === 0) return { ...outcome, entities };
    return rewritten(document, { ...outcome, entities }, await rewriteAll(changing, context));
  }

  async function readingOf(picture: Picture, context: CallContext, owner: ReadingOwner | undefined): Promise<Reading> {
    const { identity, signal } = context;
    if (!owner) return reader.read(picture, { tenant: identity.tenant, signal });
    const name = readings.nameOf(picture);
    const kept = await readings.find(name, owner);
    if (kept) return kept;
    // Also for a caller that has gone: a peer that waits for a second only comes back with the same picture.
    const reading = await reader.read(picture, { tenant: identity.tenant, signal, isKept: true });
    await readings.keep(name, reading, owner);
    return reading;
  }

  async function rewriteAll(
    pictures: readonly { source: string; picture: Picture; boxes: readonly Box[] }[],
    { identity, signal: outer }: CallContext,
  ): Promise<ReadonlyMap<string, string>> {
    const entries = await together(outer, (signal) =>
      pictures.map(async ({ source, picture, boxes }): Promise<[string, string]> => [
        source,
        dataUrlOf(picture.format, await reader.rewrite(picture, boxes, { tenant: identity.tenant, signal })),
      ]),
    );
    return new Map(entries);
  }

  /** Undefined for a call that shares its mapping with none: there is nowhere to keep a reading. */
  function ownerOf({ identity, begun }: CallContext): ReadingOwner | undefined {
    const session = deriveSession(sessionKey, identity, options.scope);
    const subject = subjectOf(sessionKey, identity);
    return session && { session, subject, fence: begun ?? store.fence() };
  }

  return {
    request,
    response: (document, context) => guard.response(document, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}

/** Waits for all of it; when one part fails, the others are given up, since nobody waits for them any more. */
async function together<T>(outer: AbortSignal, start: (signal: AbortSignal) => Promise<T>[]): Promise<T[]> {
  const failed = new AbortController();
  try {
    return await Promise.all(start(AbortSignal.any([outer, failed.signal])));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

function rewritten(
  document: RequestDocument,
  outcome: RequestOutcome,
  replacements: ReadonlyMap<string, string>,
): RequestOutcome {
  const replacementOf = (source: string): string | undefined => replacements.get(source);
  const changed = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome : document;
  return {
    ...outcome,
    action: 'GUARDRAIL_INTERVENED',
    texts: changed.texts,
    ...(changed.tools && { tools: changed.tools }),
    ...(changed.structuredMessages && { structuredMessages: withImages(changed.structuredMessages, replacementOf) }),
    ...(document.images && { images: document.images.map((image) => replacementOf(image) ?? image) }),
  };
}

/** What was found, and where it stands in its picture. */
type Place = Pick<Finding, 'type' | 'detector'> & { readonly boxes: readonly Box[] };

/** A picture is several texts: what is found in more than one of them, over the same words, is one finding. */
function withCounts(counts: readonly EntityCount[], places: readonly Place[]): readonly EntityCount[] {
  const merged = new Map(counts.map((count) => [`${count.type}\n${count.detector}`, count]));
  const seen = new Set<string>();
  for (const { type, detector, boxes } of places) {
    const keys = boxes.map(({ left, top }) => `${type} ${Math.round(left)} ${Math.round(top)}`);
    if (keys.every((key) => seen.has(key))) continue;
    for (const key of keys) seen.add(key);
    const key = `${type}\n${detector}`;
    merged.set(key, { type, detector, count: (merged.get(key)?.count ?? 0) + 1 });
  }
  return [...merged.values()];
}
