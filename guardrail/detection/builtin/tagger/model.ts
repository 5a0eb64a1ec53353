import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { buckets } from './features.ts';
import { Gazetteer } from './gazetteer.ts';
import { labelCount } from './labels.ts';
import { transitionCount } from './viterbi.ts';

/** What training has learnt. */
export interface Model {
  /** One row of `labelCount` weights a feature. */
  readonly weights: Int16Array;
  readonly transitions: Int16Array;
  /** A bit a row: whether it holds anything but zeros. */
  readonly used: Uint8Array;
  /** What a margin of one between two labels was in training. */
  readonly scale: number;
}

const here = (file: string): URL => new URL(file, import.meta.url);
export const modelFile = here('./model.bin.gz');
export const gazetteerFile = here('./gazetteer.bin.gz');

/**
 * Packs a model: scale, transitions, then which rows hold anything, then those rows column by column, low and high
 * bytes apart: near values compress best beside each other.
 */
export function packModel({ weights, transitions, used, scale }: Model): Buffer {
  const rows: number[] = [];
  for (let row = 0; row < buckets; row++) if ((used[row >> 3] ?? 0) & (1 << (row & 7))) rows.push(row);
  const low = new Uint8Array(rows.length * labelCount);
  const high = new Uint8Array(rows.length * labelCount);
  for (let label = 0, at = 0; label < labelCount; label++) {
    for (const row of rows) {
      // Zigzag: small numbers of either sign have an empty high byte.
      const weight = weights[row * labelCount + label] ?? 0;
      const folded = weight < 0 ? -2 * weight - 1 : 2 * weight;
      low[at] = folded & 255;
      high[at++] = folded >> 8;
    }
  }
  const head = new Int32Array([scale, rows.length, ...transitions]);
  return gzipSync(Buffer.concat([new Uint8Array(head.buffer), used, low, high]), { level: 9 });
}

/** Which rows of a table of weights hold anything. */
export function usedRows(weights: Int16Array): Uint8Array {
  const used = new Uint8Array(buckets / 8);
  for (let row = 0; row < buckets; row++) {
    if (weights.subarray(row * labelCount, (row + 1) * labelCount).every((weight) => weight === 0)) continue;
    used[row >> 3] = (used[row >> 3] ?? 0) | (1 << (row & 7));
  }
  return used;
}

/** @throws Error where the file is not one that {@link packModel} made for this version. */
export function unpackModel(packed: Buffer): Model {
  const bytes = gunzipSync(packed);
  const head = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 4 * (2 + transitionCount)));
  const scale = head[0] ?? 0;
  const count = head[1] ?? 0;
  const used = bytes.subarray(head.byteLength, head.byteLength + buckets / 8);
  const low = bytes.subarray(head.byteLength + used.length);
  if (scale <= 0 || low.length !== 2 * count * labelCount) {
    throw new Error('The weights of the built-in detector do not fit this version: install the package again.');
  }
  const high = low.subarray(count * labelCount);
  const weights = new Int16Array(buckets * labelCount);
  for (let row = 0, at = 0; row < buckets; row++) {
    if (!((used[row >> 3] ?? 0) & (1 << (row & 7)))) continue;
    for (let label = 0, from = at++; label < labelCount; label++, from += count) {
      const folded = (low[from] ?? 0) | ((high[from] ?? 0) << 8);
      weights[row * labelCount + label] = folded & 1 ? -((folded + 1) >> 1) : folded >> 1;
    }
  }
  return { weights, used: new Uint8Array(used), transitions: Int16Array.from(head.subarray(2)), scale };
}

/** Packs word hashes and their flags: hashes sorted, as differences of seven bits a byte. */
export function packGazetteer(entries: ReadonlyMap<number, number>): Buffer {
  const sorted = [...entries].map(([hash, flags]) => [hash >>> 0, flags] as const).sort((a, b) => a[0] - b[0]);
  const deltas: number[] = [];
  let last = 0;
  for (const [hash] of sorted) {
    let delta = hash - last;
    last = hash;
    for (; delta > 127; delta = Math.floor(delta / 128)) deltas.push((delta % 128) | 128);
    deltas.push(delta);
  }
  const head = new Int32Array([sorted.length]);
  return gzipSync(
    Buffer.concat([
      new Uint8Array(head.buffer),
      Uint8Array.from(sorted, ([, flags]) => flags),
      Uint8Array.from(deltas),
    ]),
    { level: 9 },
  );
}

export function unpackGazetteer(packed: Buffer): Gazetteer {
  const bytes = gunzipSync(packed);
  const count = bytes.readInt32LE(0);
  const hashes = new Int32Array(count);
  let at = 4 + count;
  let last = 0;
  for (let index = 0; index < count; index++) {
    let delta = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++] ?? 0;
      delta += (byte & 127) * unit;
      if (byte < 128) break;
    }
    last += delta;
    hashes[index] = last | 0;
  }
  return new Gazetteer(hashes, bytes.subarray(4, 4 + count));
}

/** Reads what is shipped beside this file. */
export const loadModel = (): Model => unpackModel(readFileSync(modelFile));
export const loadGazetteer = (): Gazetteer => unpackGazetteer(readFileSync(gazetteerFile));
