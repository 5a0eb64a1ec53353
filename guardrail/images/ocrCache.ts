/**
 * What was read in a picture, kept with the session's mapping: under a keyed digest of the picture, encrypted as values
 * are, for as long as they, on every replica, and erased with them. A conversation sends its pictures again at each turn.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { SessionErasedError } from '../pseudonymization/pseudonymization.ts';
import type { Pseudonym, SessionId, SubjectId } from '../ids.ts';
import type { Fence, MappingStore } from '../store/store.ts';
import type { ImageFile, OcrResult } from './contract.ts';

/** Whose readings they are. */
export interface CacheOwner {
  readonly session: SessionId;
  readonly subject: SubjectId | undefined;
  readonly fence: Fence;
}

export interface OcrCache {
  /** A keyed digest: no pseudonym looks like it, so no text can ask for what is kept under it. */
  keyOf(picture: ImageFile): Pseudonym;
  find(name: Pseudonym, owner: CacheOwner): Promise<OcrResult | undefined>;
  /** @throws SessionErasedError where the session was erased since the call began. */
  put(name: Pseudonym, reading: OcrResult, owner: CacheOwner): Promise<void>;
}

/** Changes with what is kept and with what is read: readings of another version are not found. */
const VERSION = 'image reading 2';
/** A page full of small print is a tenth of this, in base64. What is larger is read each time. */
const MAX_KEPT = 128 * 1024;
const MAX_UNPACKED = 8 * 1024 * 1024;

const length = z.number();
const wordSchema = z.tuple([z.string(), length, length, length, length]);
const keptSchema = z.tuple([z.array(z.array(z.array(wordSchema))), z.boolean()]);

export function createOcrCache(store: MappingStore, key: KeyObject): OcrCache {
  return {
    keyOf: ({ bytes }) =>
      createHmac('sha256', key).update(VERSION).update('\0').update(bytes).digest('hex') as Pseudonym,

    async find(name, { session }) {
      const kept = (await store.get(session, [name])).get(name);
      return kept === undefined ? undefined : unpack(kept);
    },

    async put(name, reading, { session, subject, fence }) {
      const packed = pack(reading);
      if (packed.length > MAX_KEPT) return;
      // A collision is the same picture, read at the same time.
      const result = await store.put({ session, subject, fence, values: new Map([[name, packed]]) });
      if (result.kind === 'erased') throw new SessionErasedError();
    },
  };
}

function pack({ passes, isAltered }: OcrResult): string {
  const tenths = (value: number): number => Math.round(value * 10) / 10;
  const words = passes.map((lines) =>
    lines.map((line) =>
      line.map(({ text, box }) => [text, tenths(box.left), tenths(box.top), tenths(box.width), tenths(box.height)]),
    ),
  );
  return deflateRawSync(JSON.stringify([words, isAltered])).toString('base64');
}

function unpack(packed: string): OcrResult {
  const json = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_UNPACKED }).toString('utf8');
  const [passes, isAltered] = keptSchema.parse(JSON.parse(json));
  return {
    passes: passes.map((lines) =>
      lines.map((line) =>
        line.map(([text, left, top, width, height]) => ({ text, box: { left, top, width, height } })),
      ),
    ),
    isAltered,
  };
}
