import { readFileSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { buckets } from './features.ts';
import { Gazetteer } from './gazetteer.ts';
import { labelCount } from './labels.ts';
import { lane, laneWords, limits } from './lanes.ts';
import { transitionCount } from './viterbi.ts';

/** What training has learnt: one row of `labelCount` weights a feature, most of them zeros. */
export interface Weights {
  readonly rows: Int16Array;
  readonly transitions: Int16Array;
  /** What a margin of one between two labels was in training. */
  readonly scale: number;
}

/** The same for use: only rows that hold anything, in lanes. */
export interface Model {
  readonly index: RowIndex;
  /** `laneWords` numbers a row; the first row, of features that tell nothing, is zeros. */
  readonly rows: Int32Array;
  readonly transitions: Int16Array;
  readonly scale: number;
}

/** Where the row of a feature is: a bit a feature, and how many rows came before each 32 of them. */
export class RowIndex {
  /** Pairs: 32 bits, rows before them. Side by side, so that one visit to memory answers. */
  private readonly pairs = new Int32Array(buckets / 16);
  readonly count: number;

  constructor(used: Uint8Array) {
    let count = 0;
    for (let at = 0; at < buckets / 32; at++) {
      const from = at * 4;
      const bits =
        (used[from] ?? 0) |
        ((used[from + 1] ?? 0) << 8) |
        ((used[from + 2] ?? 0) << 16) |
        ((used[from + 3] ?? 0) << 24);
      this.pairs[2 * at] = bits;
      this.pairs[2 * at + 1] = count;
      count += ones(bits);
    }
    this.count = count;
  }

  /** Puts {@link rowOf} in the place of each of the first features of a list. */
  find(features: Int32Array, count: number): void {
    for (let at = 0; at < count; at++) features[at] = this.rowOf(features[at] ?? 0);
  }

  /**
   * @returns the first number of the feature's row; 0, the row of zeros, for a feature that tells nothing. Without a
   * branch: which features tell something is beyond the guesses of a processor.
   */
  rowOf(feature: number): number {
    const at = (feature >> 5) * 2;
    const bits = this.pairs[at] ?? 0;
    const place = feature & 31;
    const row = (this.pairs[at + 1] ?? 0) + ones(bits & ((1 << place) - 1)) + 1;
    return Math.imul(row, laneWords) & -((bits >>> place) & 1);
  }
}

/** How many bits of a 32-bit number are set. */
function ones(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const here = (file: string): URL => new URL(file, import.meta.url);
export const modelFile = here('./model.bin.zst');
export const gazetteerFile = here('./gazetteer.bin.zst');

const packed = (bytes: Uint8Array): Buffer =>
  zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 19 },
  });

/**
 * Packs what was learnt: scale, transitions, then which rows hold anything, then those rows column by column, low and
 * high bytes apart: near values compress best beside each other.
 */
export function packModel({ rows, transitions, scale }: Weights): Buffer {
  const used = usedRows(rows);
  const kept: number[] = [];
  for (let row = 0; row < buckets; row++) if ((used[row >> 3] ?? 0) & (1 << (row & 7))) kept.push(row);
  const low = new Uint8Array(kept.length * labelCount);
  const high = new Uint8Array(kept.length * labelCount);
  for (let label = 0, at = 0; label < labelCount; label++) {
    for (const row of kept) {
      // Zigzag: small numbers of either sign have an empty high byte.
      const weight = rows[row * labelCount + label] ?? 0;
      const folded = weight < 0 ? -2 * weight - 1 : 2 * weight;
      low[at] = folded & 255;
      high[at++] = folded >> 8;
    }
  }
  const head = new Int32Array([scale, kept.length, ...transitions]);
  return packed(Buffer.concat([new Uint8Array(head.buffer), used, low, high]));
}

/** Which rows hold anything, a bit a row. */
function usedRows(rows: Int16Array): Uint8Array {
  const used = new Uint8Array(buckets / 8);
  for (let row = 0; row < buckets; row++) {
    if (rows.subarray(row * labelCount, (row + 1) * labelCount).every((weight) => weight === 0)) continue;
    used[row >> 3] = (used[row >> 3] ?? 0) | (1 << (row & 7));
  }
  return used;
}

/** @throws Error where the file is not one that {@link packModel} made for this version. */
export function unpackModel(file: Buffer): Model {
  const bytes = unpacked(file);
  const head = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 4 * (2 + transitionCount)));
  const scale = head[0] ?? 0;
  const count = head[1] ?? 0;
  const used = bytes.subarray(head.byteLength, head.byteLength + buckets / 8);
  const index = new RowIndex(used);
  const low = bytes.subarray(head.byteLength + used.length);
  if (scale <= 0 || index.count !== count || low.length !== 2 * count * labelCount) {
    throw new Error('The weights of the built-in detector do not fit this version: install the package again.');
  }
  const high = low.subarray(count * labelCount);
  const rows = new Int32Array((count + 1) * laneWords);
  const weightAt = (label: number, row: number): number => {
    const at = label * count + row;
    const folded = (low[at] ?? 0) | ((high[at] ?? 0) << 8);
    return (folded >> 1) ^ -(folded & 1);
  };
  const { weight: most } = limits;
  for (let row = 0, to = laneWords; row < count; row++) {
    const outside = weightAt(0, row);
    // One row in five thousand leads by more than fits.
    const leadOf = (label: number): number => Math.max(-most, Math.min(most, weightAt(label, row) - outside));
    for (let begin = 1; begin < labelCount; begin += 2) rows[to++] = lane(leadOf(begin), leadOf(begin + 1));
  }
  return { index, rows, transitions: Int16Array.from(head.subarray(2)), scale };
}

/** What a packed file holds. */
export const unpacked = (file: Buffer): Buffer => zstdDecompressSync(file);

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
  return packed(
    Buffer.concat([
      new Uint8Array(head.buffer),
      Uint8Array.from(sorted, ([, flags]) => flags),
      Uint8Array.from(deltas),
    ]),
  );
}

export function unpackGazetteer(file: Buffer): Gazetteer {
  const bytes = unpacked(file);
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
