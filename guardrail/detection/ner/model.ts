import { readFileSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { buckets } from './features.ts';
import { Gazetteer } from './gazetteer.ts';
import { labelCount } from './labels.ts';
import { packedLength, type ClassifierWeights } from './spanClassifier.ts';
import { byteOf, limits, packedZero, rowBytes, rowWords, unit, zero } from './packedScores.ts';
import { transitionCount } from './viterbi.ts';

/** The result of training: one row of `labelCount` weights per feature. Most weights are zero. */
export interface Weights {
  readonly rows: Int16Array;
  readonly transitions: Int16Array;
  /** The value of one unit of training margin, in units of the weights. */
  readonly scale: number;
}

/** {@link Weights} for inference: as bytes. */
export interface Model {
  /**
   * {@link rowWords} numbers per feature. Three quarters of the features have weights, so an index of those would save little
   * memory, and cost one more access to it for each feature.
   */
  readonly rows: Int32Array;
  readonly transitions: Int16Array;
  readonly scale: number;
}

const here = (file: string): URL => new URL(file, import.meta.url);
/** The files that training writes. */
export const shippedFiles = {
  model: here('./model.bin.zst'),
  gazetteer: here('./gazetteer.bin.zst'),
  classifier: here('./classifier.bin.zst'),
  knownNames: here('./knownNames.bin.zst'),
} as const;

const packed = (bytes: Uint8Array): Buffer =>
  zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 19 },
  });

/** Packs weights into a file: scale, transitions, one bit per feature with a row, and the rows as differences from O. */
export function packModel({ rows, transitions, scale }: Weights): Buffer {
  const used = new Uint8Array(buckets / 8);
  const bytes: number[] = new Array<number>(rowBytes).fill(zero);
  for (let feature = 0; feature < buckets; feature++) {
    const [outside = 0, ...weights] = rows.subarray(feature * labelCount, (feature + 1) * labelCount);
    const steps = weights.map((weight) => stepsOf(weight - outside));
    if (steps.every((step) => step === 0)) continue;
    used[feature >> 3] = (used[feature >> 3] ?? 0) | (1 << (feature & 7));
    const from = bytes.length;
    steps.forEach((step, at) => {
      bytes[from + byteOf(at + 1)] = zero + step;
    });
  }
  const head = new Int32Array([scale, ...transitions]);
  return packed(Buffer.concat([new Uint8Array(head.buffer), used, Uint8Array.from(bytes)]));
}

/** Rounds to whole steps of {@link unit}, halves away from zero: halves that are always rounded up would bias the sums. */
function stepsOf(lead: number): number {
  const steps = Math.sign(lead) * Math.round(Math.abs(lead) / unit);
  return Math.max(-limits.weight, Math.min(limits.weight, steps));
}

/** @throws Error if the file does not have the layout that {@link packModel} writes. */
export function unpackModel(file: Buffer): Model {
  const bytes = unpacked(file);
  const numbers = (from: number, to: number): Int32Array =>
    new Int32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / Int32Array.BYTES_PER_ELEMENT);
  const usedAt = 4 * (1 + transitionCount);
  const rowsAt = usedAt + buckets / 8;
  if (bytes.length < rowsAt || bytes.length % 4 !== 0) throw new Error(mismatch);
  const [scale = 0, ...transitions] = numbers(0, usedAt);
  const rows = rowsOfFeatures(bytes.subarray(usedAt, rowsAt), numbers(rowsAt, bytes.length));
  if (scale <= 0 || rows === undefined) throw new Error(mismatch);
  return { rows, transitions: Int16Array.from(transitions), scale };
}

/**
 * Spreads the rows of a file over all features.
 * @param used one bit per feature, set if the file has a row for it.
 * @param stored a row of zeros, and the rows of the features in order.
 * @returns undefined if the numbers of rows differ.
 */
function rowsOfFeatures(used: Uint8Array, stored: Int32Array): Int32Array | undefined {
  const rows = new Int32Array(buckets * rowWords).fill(packedZero);
  let from = rowWords;
  for (let feature = 0; feature < buckets; feature++) {
    if ((((used[feature >> 3] ?? 0) >> (feature & 7)) & 1) === 0) continue;
    for (let word = 0; word < rowWords; word++) rows[feature * rowWords + word] = stored[from++] ?? 0;
  }
  return from === stored.length ? rows : undefined;
}

const mismatch =
  'The model file of the built-in detector is damaged or belongs to another version: reinstall the package.';

/** Decompresses a packed file into one buffer of its size: joining many would take their memory twice. */
export const unpacked = (file: Buffer): Buffer =>
  zstdDecompressSync(file, { chunkSize: Math.max(constants.Z_MIN_CHUNK, contentSizeOf(file)) });

/** @returns the size that the frame header states; the compressor states it if it has all data at once. See RFC 8878, 3.1.1.1. */
function contentSizeOf(file: Buffer): number {
  const fieldSize = (file[4] ?? 0) >> 6;
  if (fieldSize === 0) return file[5] ?? 0;
  return fieldSize === 1 ? file.readUInt16LE(5) + 256 : file.readUInt32LE(5);
}

/** Packs word hashes and their flags. The hashes are sorted and written as differences, seven bits per byte. */
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
  const gazetteer = new Gazetteer(count);
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
    gazetteer.set(last | 0, bytes[4 + index] ?? 0);
  }
  return gazetteer;
}

/** Packs the weights of the classifier: the step and the calibration in millionths, and the rows. */
export function packClassifier({ rows, unit, personal, any }: ClassifierWeights): Buffer {
  const numbers = [unit, personal.slope, personal.offset, any.slope, any.offset];
  const head = Int32Array.from(numbers, (number) => Math.round(number * MILLION));
  return packed(
    Buffer.concat([new Uint8Array(head.buffer), new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)]),
  );
}

/** @throws Error if the file does not have the layout that {@link packClassifier} writes. */
export function unpackClassifier(file: Buffer): ClassifierWeights {
  const bytes = unpacked(file);
  const number = (index: number): number => bytes.readInt32LE(4 * index) / MILLION;
  const head = 5 * Int32Array.BYTES_PER_ELEMENT;
  if (bytes.length !== head + packedLength * Int32Array.BYTES_PER_ELEMENT) throw new Error(mismatch);
  return {
    rows: new Int32Array(bytes.buffer, bytes.byteOffset + head, packedLength),
    unit: number(0),
    personal: { slope: number(1), offset: number(2) },
    any: { slope: number(3), offset: number(4) },
  };
}

const MILLION = 1e6;

/** Read the files next to this module. */
export const loadModel = (): Model => unpackModel(readFileSync(shippedFiles.model));
export const loadGazetteer = (): Gazetteer => unpackGazetteer(readFileSync(shippedFiles.gazetteer));
