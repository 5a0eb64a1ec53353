import { readFileSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { buckets, mostWeight, zero } from '../kernel/numbers.ts';
import { Gazetteer } from './gazetteer.ts';
import { labelCount } from './labels.ts';
import { packedLength, type ClassifierWeights } from './spanClassifier.ts';
import { transitionCount } from './transitions.ts';
import { byteOf, rowBytes, rowWords, step } from './weightRows.ts';

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
   * {@link rowWords} numbers per feature. Three quarters of the features have weights: to leave out the others would save little
   * memory, and take one more access to it for each feature, or the time to put them in at the start.
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

/** Packs weights into a file: the rows of all features as differences from O, scale, transitions. */
export function packModel({ rows, transitions, scale }: Weights): Buffer {
  const bytes = new Uint8Array(buckets * rowBytes).fill(zero);
  for (let feature = 0; feature < buckets; feature++) {
    const [outside = 0, ...weights] = rows.subarray(feature * labelCount, (feature + 1) * labelCount);
    weights.forEach((weight, at) => {
      bytes[feature * rowBytes + byteOf(at + 1)] = zero + stepsOf(weight - outside);
    });
  }
  return packed(Buffer.concat([bytes, bytesOf(new Int32Array([scale, ...transitions]))]));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Rounds to whole steps of {@link step}, halves away from zero: halves that are always rounded up would bias the sums. */
function stepsOf(lead: number): number {
  const steps = Math.sign(lead) * Math.round(Math.abs(lead) / step);
  return Math.max(-mostWeight, Math.min(mostWeight, steps));
}

/** @throws Error if the file does not have the layout that {@link packModel} writes. */
export function unpackModel(file: Buffer): Model {
  const numbers = numbersIn(file);
  const length = buckets * rowWords;
  const [scale = 0, ...transitions] = numbers.subarray(length);
  if (transitions.length !== transitionCount || scale <= 0) throw new Error(mismatch);
  return { rows: numbers.subarray(0, length), transitions: Int16Array.from(transitions), scale };
}

const mismatch =
  'The model file of the built-in detector is damaged or belongs to another version: reinstall the package.';

/** Decompresses a packed file into one buffer of its size: joining many would take their memory twice. */
export const unpacked = (file: Buffer): Buffer =>
  zstdDecompressSync(file, { chunkSize: Math.max(constants.Z_MIN_CHUNK, contentSizeOf(file)) });

/** @throws Error if the file does not consist of 32-bit numbers. */
function numbersIn(file: Buffer): Int32Array {
  const { buffer, byteOffset, byteLength } = unpacked(file);
  if (byteLength % Int32Array.BYTES_PER_ELEMENT !== 0) throw new Error(mismatch);
  return new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
}

/** @returns the size that the frame header states; the compressor states it if it has all data at once. See RFC 8878, 3.1.1.1. */
function contentSizeOf(file: Buffer): number {
  const fieldSize = (file[4] ?? 0) >> 6;
  if (fieldSize === 0) return file[5] ?? 0;
  return fieldSize === 1 ? file.readUInt16LE(5) + 256 : file.readUInt32LE(5);
}

/** @param flags the flags of each word, by its hash */
export function packGazetteer(flags: ReadonlyMap<number, number>): Buffer {
  return packed(bytesOf(Gazetteer.of(flags).entries));
}

/** @throws Error if the file does not have the layout that {@link packGazetteer} writes. */
export function unpackGazetteer(file: Buffer): Gazetteer {
  const entries = numbersIn(file);
  if (!Gazetteer.isTable(entries.length)) throw new Error(mismatch);
  return new Gazetteer(entries);
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
