/**
 * A small network that labels tokens as parts of values and of private names, in their context. Each token is the sum of the rows of its features.
 * Four layers each add what five tokens around say: at distances of 1, 2, 4 and 8 tokens. After the second layer, the mean and
 * the greatest of all tokens join. The rows are bytes with one scale; the layers are small and stay numbers.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { exportsOf, moduleIn } from '../wasm.ts';
import { tokenBuckets, type NetworkTokens } from './networkTokens.ts';

/** What a token is a part of. The first is no value and no private name. */
export const tokenClasses = [
  'O',
  'ID',
  'USERNAME',
  'PASSWORD',
  'DATE_OF_BIRTH',
  'PHONE_NUMBER',
  'LICENSE_PLATE',
  'PERSON',
  'ADDRESS',
] as const;
export type TokenClass = (typeof tokenClasses)[number];
/** A class that is no name. */
export type ValueClass = Exclude<TokenClass, 'PERSON' | 'ADDRESS'>;

/** Numbers for each token. */
export const WIDTH = 48;
/** Tokens around each that a layer sees: two before, itself, two after. */
export const TAPS = 5;
/** The distance of these tokens, by layer. */
export const DILATIONS = [1, 2, 4, 8] as const;
/** The layer before which the whole text joins. */
export const WHOLE_AT = 2;

const layer = TAPS * WIDTH + WIDTH * WIDTH + WIDTH;
const CLASSES = tokenClasses.length;

/** Where the parts of the numbers of the layers begin. */
export const parts = {
  bias: 0,
  /** Of each layer: the weights of the tokens around, the matrix, and the offsets. */
  layer: (at: number): { readonly taps: number; readonly matrix: number; readonly bias: number } => {
    const from = WIDTH + at * layer;
    return { taps: from, matrix: from + TAPS * WIDTH, bias: from + TAPS * WIDTH + WIDTH * WIDTH };
  },
  whole: WIDTH + DILATIONS.length * layer,
  wholeBias: WIDTH + DILATIONS.length * layer + 2 * WIDTH * WIDTH,
  out: WIDTH + DILATIONS.length * layer + 2 * WIDTH * WIDTH + WIDTH,
  outBias: WIDTH + DILATIONS.length * layer + 2 * WIDTH * WIDTH + WIDTH + CLASSES * WIDTH,
  length: WIDTH + DILATIONS.length * layer + 2 * WIDTH * WIDTH + WIDTH + CLASSES * WIDTH + CLASSES,
} as const;

/** Weights of the network. */
export interface NetworkWeights {
  /** {@link WIDTH} numbers for each feature, in units of {@link unit}. */
  readonly rows: Int8Array;
  readonly unit: number;
  /** All others: see {@link parts}. */
  readonly layers: Float32Array;
}

const module = moduleIn(readFileSync(new URL('../kernel/network.wasm', import.meta.url)));

/** The networks, which differ in what chance decides in their training. Their mean is better than each. */
export const networkFiles = {
  network: new URL('./network.bin.zst', import.meta.url),
  secondNetwork: new URL('./secondNetwork.bin.zst', import.meta.url),
} as const;

export function packNetwork({ rows, unit, layers }: NetworkWeights): Buffer {
  const numbers = Float32Array.from([unit, ...layers]);
  const bytes = Buffer.concat([
    new Uint8Array(numbers.buffer),
    new Uint8Array(rows.buffer, rows.byteOffset, rows.length),
  ]);
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

/** @throws Error if the file does not have the layout that {@link packNetwork} writes. */
export function unpackNetwork(file: Buffer): NetworkWeights {
  const { buffer, byteOffset, byteLength } = zstdDecompressSync(file);
  const head = 4 * (1 + parts.length);
  if (byteLength !== head + tokenBuckets * WIDTH)
    throw new Error('The file of values of the built-in detector is damaged: reinstall the package.');
  const [unit = 0, ...layers] = new Float32Array(buffer.slice(byteOffset, byteOffset + head));
  return {
    rows: new Int8Array(buffer, byteOffset + head, tokenBuckets * WIDTH),
    unit,
    layers: Float32Array.from(layers),
  };
}

/** What the kernel of the network exports: see {@link file://../kernel/network.ts}. */
interface NetworkKernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly featuresAt: { readonly value: number };
  readonly firstAt: { readonly value: number };
  readonly oddsAt: { readonly value: number };
  weights(): number;
  layers(): number;
  table(): number;
  reserve(rows: number, tokens: number, features: number): void;
  run(count: number): void;
}

/** Numbers of the odds of a token in the memory of the kernel. */
const ODDS = 12;

/** Computes the probabilities of each token. An instance processes one text at a time. */
export class TokenNetwork {
  /** The probabilities of the classes of each token, {@link tokenClasses} numbers each. */
  probabilities = new Float64Array();
  private readonly kernel: NetworkKernel;
  private room = { tokens: 0, features: 0 };

  /** @param weights are copied. */
  constructor({ rows, unit, layers }: NetworkWeights) {
    const kernel = exportsOf(module) as NetworkKernel;
    this.kernel = kernel;
    this.reserve(256, 4096);
    new Float32Array(kernel.memory.buffer, kernel.weights(), 1)[0] = unit;
    new Float32Array(kernel.memory.buffer, kernel.layers(), kernelLength).set(forKernel(layers));
    new Int8Array(kernel.memory.buffer, kernel.table(), rows.length).set(rows);
  }

  /** Labels all tokens of a text. */
  run({ count, first, features }: NetworkTokens): void {
    const size = first[count] ?? 0;
    if (count > this.room.tokens || size > this.room.features) this.reserve(2 * count, 2 * size);
    const { kernel, probabilities } = this;
    const { buffer } = kernel.memory;
    new Int32Array(buffer, kernel.featuresAt.value, size).set(features.subarray(0, size));
    new Int32Array(buffer, kernel.firstAt.value, count + 1).set(first.subarray(0, count + 1));
    kernel.run(count);
    const odds = new Float32Array(buffer, kernel.oddsAt.value, ODDS * count);
    for (let token = 0; token < count; token++) {
      for (let each = 0; each < CLASSES; each++) probabilities[token * CLASSES + each] = odds[token * ODDS + each] ?? 0;
      softmax(probabilities, token * CLASSES);
    }
  }

  private reserve(tokens: number, features: number): void {
    this.room = { tokens, features };
    this.kernel.reserve(tokenBuckets, tokens, features);
    this.probabilities = new Float64Array(tokens * CLASSES);
  }
}

const kernelLength = WIDTH + DILATIONS.length * layer + 2 * WIDTH * WIDTH + WIDTH + ODDS * WIDTH + ODDS;

/** The numbers of the layers as the kernel reads them: matrices column by column, and the odds with room to eight. */
function forKernel(layers: Float32Array): Float32Array {
  const numbers = new Float32Array(kernelLength);
  let to = 0;
  const copy = (from: number, length: number): void => {
    numbers.set(layers.subarray(from, from + length), to);
    to += length;
  };
  const turned = (from: number, rows: number, columns: number, room = rows): void => {
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        numbers[to + column * room + row] = layers[from + row * columns + column] ?? 0;
    to += room * columns;
  };
  copy(parts.bias, WIDTH);
  for (let at = 0; at < DILATIONS.length; at++) {
    const { taps, matrix, bias } = parts.layer(at);
    copy(taps, TAPS * WIDTH);
    turned(matrix, WIDTH, WIDTH);
    copy(bias, WIDTH);
  }
  turned(parts.whole, WIDTH, 2 * WIDTH);
  copy(parts.wholeBias, WIDTH);
  turned(parts.out, CLASSES, WIDTH, ODDS);
  copy(parts.outBias, CLASSES);
  return numbers;
}

/** Turns the odds of the classes of one token into probabilities. */
export function softmax(odds: Float64Array, from: number): void {
  let most = odds[from] ?? 0;
  for (let each = 1; each < CLASSES; each++) most = Math.max(most, odds[from + each] ?? 0);
  let total = 0;
  for (let each = 0; each < CLASSES; each++) total += odds[from + each] = Math.exp((odds[from + each] ?? 0) - most);
  for (let each = 0; each < CLASSES; each++) odds[from + each] = (odds[from + each] ?? 0) / total;
}
