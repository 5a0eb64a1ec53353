import type { KeyObject } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  refuse,
  sessionOfCall,
  type CallContext,
  type EntityCount,
  type Guard,
  type ImageMask,
  type RequestDocument,
  type RequestOutcome,
  type SessionScope,
} from '../pseudonymization/pseudonymization.ts';
import type { Finding } from '../detection/detection.ts';
import { inSlices, type Steps } from '../eventLoop.ts';
import { findingImages, replacingImages } from '../messages/messages.ts';
import type { MappingStore } from '../store/store.ts';
import { UnreadableImageError, type ImageFile, type ImageProcessor, type OcrResult } from './contract.ts';
import { dataUrlOf, isRemote, parseImageDataUrl } from './dataUrl.ts';
import { cornersOf, type Rectangle } from './geometry.ts';
import { areaOf, type OcrText } from './ocrText.ts';
import { createOcrCache, type CacheOwner, type OcrCache } from './ocrCache.ts';
import { areasOf, readingOrdersOf } from './readingOrders.ts';

export interface ImageGuardOptions {
  /** What to do with inline images, if the policy does not say it. */
  readonly images: 'redact' | 'block' | 'pass';
  /** What to do with images that are referenced by URL, if images are redacted and the policy does not say it. */
  readonly remoteImages: 'block' | 'pass';
  /** What to do with text that was found in an image and not read, if the policy does not say it. */
  readonly unreadText: 'mask' | 'block' | 'note';
  readonly scope: SessionScope;
  readonly sessionKey: KeyObject;
  readonly store: MappingStore;
  readonly reader: ImageProcessor;
}

const BLOCKED = 'The policy does not allow images for this model. Send the request without images.';

/**
 * Creates a guard that also redacts the images of a request. It analyzes the text in images together with the texts of
 * the request, so a person has one identity and one policy decides. It paints over the findings in an image.
 */
export function createImageGuard(guard: Guard, options: ImageGuardOptions): Guard {
  const imageGuard = new ImageGuard(guard, options);
  return {
    request: (document, context) => imageGuard.request(document, context),
    response: (document, context) => guard.response(document, context),
    stream: (context) => guard.stream(context),
    piece: (piece, context) => guard.piece(piece, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}

/** An image of a request, and what OCR found in it. */
interface ReadImage {
  /** The data URL in the request. */
  readonly source: string;
  readonly file: ImageFile;
  readonly ocr: OcrResult;
}

interface AnalyzableImage extends ReadImage {
  readonly texts: readonly OcrText[];
}

/** A finding and its position in an image. */
type LocatedFinding = Pick<Finding, 'type' | 'detector' | 'action' | 'rule'> & { readonly areas: readonly Rectangle[] };

interface AnalyzedImage extends ReadImage {
  readonly findings: readonly LocatedFinding[];
}

/** An area that is painted over, and why: see {@link ImageMask}. */
interface Mask extends Pick<ImageMask, 'reason'> {
  readonly area: Rectangle;
}

class ImageGuard {
  readonly #guard: Guard;
  readonly #options: ImageGuardOptions;
  readonly #cache: OcrCache;

  constructor(guard: Guard, options: ImageGuardOptions) {
    this.#guard = guard;
    this.#options = options;
    this.#cache = createOcrCache(options.store, options.sessionKey);
  }

  request(document: RequestDocument, context: CallContext): Promise<RequestOutcome> {
    const next = (inMessages: readonly string[]): Promise<RequestOutcome> => {
      const sources = new Set(document.images).union(new Set(inMessages));
      return sources.size === 0
        ? this.#guard.request(document, context)
        : this.#withImages(document, context, [...sources]);
    };
    const found = inSlices(findingImages(document.structuredMessages ?? []));
    return found instanceof Promise ? found.then(next) : next(found);
  }

  async #withImages(
    document: RequestDocument,
    context: CallContext,
    sources: readonly string[],
  ): Promise<RequestOutcome> {
    const images = context.policy?.settings.images ?? this.#options.images;
    if (images === 'block' || context.stricter?.images === 'block') return refuse(this.#guard, context, BLOCKED);
    if (images === 'pass') return this.#guard.request(document, context);
    try {
      return await this.#redact(document, context, sources);
    } catch (error) {
      if (error instanceof UnreadableImageError) return refuse(this.#guard, context, error.message);
      throw error;
    }
  }

  async #redact(document: RequestDocument, context: CallContext, sources: readonly string[]): Promise<RequestOutcome> {
    const read = await this.#readAll(this.#parseAll(sources, context), context);
    const unreadLines = read.reduce((sum, { ocr }) => sum + ocr.lines.filter(({ isUnread }) => isUnread).length, 0);
    const unreadText = context.policy?.settings.unreadText ?? this.#options.unreadText;
    if (unreadLines > 0 && unreadText === 'block') {
      return { ...refuse(this.#guard, context, new UnreadableImageError('unread').message), unreadLines };
    }
    const analyzable = await withTexts(read);
    const imageTexts = analyzable.flatMap(({ source, texts }) => texts.map(({ text }) => ({ text, source })));
    const { imageFindings = [], ...textOutcome } = await this.#guard.request({ ...document, imageTexts }, context);
    const analyzed = locateFindings(analyzable, imageFindings);
    const entities = analyzed.reduce((counts, { findings }) => withCounts(counts, findings), textOutcome.entities);
    const planned = analyzed.map((image) => ({ ...image, masks: masksOf(image, unreadText) }));
    const imageMasks = planned.flatMap(({ source, masks }) =>
      masks.map(({ area, reason }): ImageMask => ({ source, polygon: cornersOf(area), reason })),
    );
    const outcome = { ...textOutcome, entities, unreadLines, imageMasks };
    if (outcome.action === 'BLOCKED') return outcome;
    const replacements = await this.#rewriteAll(planned, context);
    return replacements.size === 0 ? outcome : inSlices(replacingAll(document, outcome, replacements));
  }

  /** Checks the form of all images before the first one is read. */
  #parseAll(sources: readonly string[], { policy }: CallContext): Pick<ReadImage, 'source' | 'file'>[] {
    const inline = sources.filter((source) => !isRemote(source));
    const parsed = inline.map((source) => ({ source, file: parseImageDataUrl(source) }));
    const remoteImages = policy?.settings.remoteImages ?? this.#options.remoteImages;
    if (inline.length < sources.length && remoteImages === 'block') {
      throw new UnreadableImageError('remote');
    }
    return parsed;
  }

  #readAll(images: readonly Pick<ReadImage, 'source' | 'file'>[], context: CallContext): Promise<ReadImage[]> {
    const owner = this.#cacheOwnerOf(context);
    return allOrAbort(context.signal, (signal) =>
      images.map(async (image) => ({ ...image, ocr: await this.#read(image.file, { ...context, signal }, owner) })),
    );
  }

  async #read(file: ImageFile, { identity, signal }: CallContext, owner: CacheOwner | undefined): Promise<OcrResult> {
    const { reader } = this.#options;
    if (!owner) return reader.read(file, { tenant: identity.tenant, signal });
    const key = this.#cache.keyOf(file);
    const cached = await this.#cache.find(key, owner);
    if (cached) return cached;
    // The read continues after the caller has disconnected: a gateway with a timeout of a second retries with the same
    // image.
    const result = await reader.read(file, { tenant: identity.tenant, signal, isCached: true });
    await this.#cache.put(key, result, owner);
    return result;
  }

  /** @returns the changed images by their data URLs in the request. */
  async #rewriteAll(
    images: readonly (ReadImage & { readonly masks: readonly Mask[] })[],
    { identity, signal: outer }: CallContext,
  ): Promise<ReadonlyMap<string, string>> {
    const changed = images.filter(({ file, ocr, masks }) => masks.length > 0 || file.mayHaveExtraData || ocr.isAltered);
    const entries = await allOrAbort(outer, (signal) =>
      changed.map(async ({ source, file, masks }): Promise<[string, string]> => {
        const areas = masks.map(({ area }) => area);
        const bytes = await this.#options.reader.rewrite(file, areas, { tenant: identity.tenant, signal });
        return [source, dataUrlOf(file.format, bytes)];
      }),
    );
    return new Map(entries);
  }

  /** @returns undefined for a call without a shared session: its results cannot be cached. */
  #cacheOwnerOf({ identity, share: tenant = identity.tenant, fence, policy }: CallContext): CacheOwner | undefined {
    const { sessionKey, scope, store } = this.#options;
    const { id, subject, isShared } = sessionOfCall(sessionKey, identity, scope);
    const ttlMs = policy?.settings.mappingTTL;
    return isShared ? { session: id, subject, tenant, fence: fence ?? store.fence(), ttlMs } : undefined;
  }
}

/**
 * Yields to the event loop between images: a full page takes milliseconds, and a conversation repeats all its images.
 */
async function withTexts(images: readonly ReadImage[]): Promise<readonly AnalyzableImage[]> {
  const result: AnalyzableImage[] = [];
  for (const image of images) {
    if (result.length > 0) await nextRound();
    result.push({ ...image, texts: readingOrdersOf(image.ocr) });
  }
  return result;
}

/** @param findings of each text of the images, in order. */
function locateFindings(
  images: readonly AnalyzableImage[],
  findings: readonly (readonly Finding[])[],
): readonly AnalyzedImage[] {
  let next = 0;
  return images.map(({ texts, ...image }) => {
    const located = texts.flatMap((text, at) =>
      (findings[next + at] ?? []).map((finding): LocatedFinding => ({ ...finding, areas: areasOf(text, finding) })),
    );
    next += texts.length;
    return { ...image, findings: located };
  });
}

/** Returns what is painted over in an image, each area once. */
function masksOf({ ocr, findings }: AnalyzedImage, unreadText: ImageGuardOptions['unreadText']): Mask[] {
  const unread = unreadText === 'mask' ? ocr.lines.filter(({ isUnread }) => isUnread) : [];
  const masks = [
    ...unread.map((line): Mask => ({ area: areaOf(line), reason: 'unread' })),
    ...findings.flatMap(({ type, rule, areas }) => areas.map((area): Mask => ({ area, reason: `${type} ${rule}` }))),
  ];
  const keyOf = ({ area: { x, y, width, height } }: Mask): string => [x, y, width, height].join(' ');
  return [...new Map(masks.toReversed().map((mask) => [keyOf(mask), mask])).values()];
}

/** Waits for all tasks. If one fails, it aborts the others. */
async function allOrAbort<T>(outer: AbortSignal, start: (signal: AbortSignal) => Promise<T>[]): Promise<T[]> {
  const failed = new AbortController();
  try {
    return await Promise.all(start(AbortSignal.any([outer, failed.signal])));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

function* replacingAll(
  document: RequestDocument,
  outcome: RequestOutcome,
  replacements: ReadonlyMap<string, string>,
): Steps<RequestOutcome> {
  const replacementOf = (source: string): string | undefined => replacements.get(source);
  const changed = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome : document;
  return {
    ...outcome,
    action: 'GUARDRAIL_INTERVENED',
    texts: changed.texts,
    ...(changed.passages && { passages: changed.passages }),
    ...(changed.tools && { tools: changed.tools }),
    ...(changed.structuredMessages && {
      structuredMessages: yield* replacingImages(changed.structuredMessages, replacementOf),
    }),
    ...(document.images && { images: document.images.map((image) => replacementOf(image) ?? image) }),
  };
}

/** Adds the findings of one image. A finding over the same words in several reading orders counts once. */
function withCounts(counts: readonly EntityCount[], findings: readonly LocatedFinding[]): readonly EntityCount[] {
  const nameOf = ({ type, detector, action }: Omit<EntityCount, 'count'>): string => `${type}\n${detector}\n${action}`;
  const merged = new Map(counts.map((count) => [nameOf(count), count]));
  const seen = new Set<string>();
  for (const { type, detector, action, areas } of findings) {
    const keys = areas.map(({ x, y }) => `${type} ${Math.round(x)} ${Math.round(y)}`);
    if (keys.every((key) => seen.has(key))) continue;
    for (const key of keys) seen.add(key);
    const key = nameOf({ type, detector, action });
    merged.set(key, { type, detector, action, count: (merged.get(key)?.count ?? 0) + 1 });
  }
  return [...merged.values()];
}
