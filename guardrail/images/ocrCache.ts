/**
 * Caches OCR results, since a conversation repeats its images in each request. A result is stored with the mappings of its
 * session, under a keyed digest of the image: encrypted, replicated, expired and erased like them.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { SessionErasedError } from '../pseudonymization/pseudonymization.ts';
import type { Pseudonym, SessionId, SubjectId, Tenant } from '../ids.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import type { ImageFile, OcrResult } from './contract.ts';

/** The session of cached results. */
export interface CacheOwner {
  readonly session: SessionId;
  readonly subject: SubjectId | undefined;
  /** Whose share of a store in memory it takes. */
  readonly tenant: Tenant;
  readonly fence: Fence;
  /** How long a result is stored after its last use, in milliseconds. undefined: as the store's setting says. */
  readonly ttlMs: number | undefined;
}

export interface OcrCache {
  /** A keyed digest. No pseudonym has its form, so no text can refer to it. */
  keyOf(image: ImageFile): Pseudonym;
  find(name: Pseudonym, owner: CacheOwner): Promise<OcrResult | undefined>;
  /** @throws SessionErasedError if the session was erased after the call began. */
  put(name: Pseudonym, result: OcrResult, owner: CacheOwner): Promise<void>;
}

/** Increase it when the stored format or OCR changes: results of other versions are not found. */
const VERSION = 'image reading 3';
/** The maximum size in base64, ten times a full page of small print. Larger results are not cached. */
const MAX_CACHED = 128 * 1024;
const MAX_UNPACKED = 8 * 1024 * 1024;

const length = z.number();
const lineSchema = z.tuple([
  z.tuple([length, length, length, length, length]),
  z.array(z.tuple([z.string(), length, length])),
  z.boolean(),
]);
const cachedSchema = z.tuple([length, z.array(lineSchema), z.boolean()]);

export function createOcrCache(store: MappingStore, key: KeyObject): OcrCache {
  return {
    keyOf: ({ bytes }) =>
      createHmac('sha256', key).update(VERSION).update('\0').update(bytes).digest('hex') as Pseudonym,

    async find(name, { session, ttlMs }) {
      const cached = (await store.get(session, [name], ttlMs)).get(name);
      return cached === undefined ? undefined : unpack(cached);
    },

    async put(name, result, { session, subject, tenant, fence, ttlMs }) {
      const packed = pack(result);
      if (packed.length > MAX_CACHED) return;
      // A collision is a concurrent read of the same image.
      const outcome = await store.put({ session, subject, tenant, fence, ttlMs, values: new Map([[name, packed]]) });
      if (outcome.kind === 'erased') throw new SessionErasedError();
    },
  };
}

function pack({ angle, lines, isAltered }: OcrResult): string {
  const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
  const packed: z.output<typeof cachedSchema> = [
    rounded(angle),
    lines.map(({ box, words, isUnread }) => [
      [rounded(box.x), rounded(box.y), rounded(box.width), rounded(box.height), rounded(box.angle)],
      words.map(({ text, from, to }) => [text, rounded(from), rounded(to)]),
      isUnread,
    ]),
    isAltered,
  ];
  return deflateRawSync(JSON.stringify(packed)).toString('base64');
}

function unpack(packed: string): OcrResult {
  const json = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_UNPACKED }).toString('utf8');
  const [angle, lines, isAltered] = cachedSchema.parse(JSON.parse(json));
  return {
    angle,
    lines: lines.map(([[x, y, width, height, direction], words, isUnread]) => ({
      box: { x, y, width, height, angle: direction },
      words: words.map(([text, from, to]) => ({ text, from, to })),
      isUnread,
    })),
    isAltered,
  };
}
