/**
 * The inner loop of the tagger and the classifier, as a module of WebAssembly with vector instructions. In JavaScript, the
 * instructions for a row take as long as the processor needs to run ahead to the next rows, so that it waits for the memory of
 * each: 20 ns for a row of a large table, and 6 ns here.
 *
 * The module in its text format, where `ROWS` is the offset of the table in its memory:
 *
 *     (func (export "sum") (param $from i32) (param $end i32) (param $size i32) (param $out i32)
 *       (local $stop i32) (local $sum v128)
 *       (loop $group
 *         (local.set $stop (i32.add (local.get $from) (local.get $size)))
 *         (local.set $sum (v128.xor (local.get $sum) (local.get $sum)))
 *         (loop $row
 *           (local.set $sum (i16x8.add (local.get $sum) (i16x8.extend_low_i8x16_u
 *             (v128.load64_zero offset=ROWS (i32.shl (i32.load (local.get $from)) (i32.const 3))))))
 *           (local.set $from (i32.add (local.get $from) (i32.const 4)))
 *           (br_if $row (i32.lt_u (local.get $from) (local.get $stop))))
 *         (v128.store (local.get $out) (i8x16.shuffle 0 1 4 5 2 3 6 7 8 9 12 13 10 11 14 15
 *           (local.get $sum) (local.get $sum)))
 *         (local.set $out (i32.add (local.get $out) (i32.const 16)))
 *         (br_if $group (i32.lt_u (local.get $from) (local.get $end)))))
 */

/**
 * Sums the rows that the numbers from the byte `from` to the byte `end` name, in groups of `size` bytes, and writes the sums of each
 * group from the byte `out` on. There is at least one group, and none is empty.
 */
export type Sum = (from: number, end: number, size: number, out: number) => void;

/** An unsigned number of seven bits per byte: LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

const [from, end, size, out, stop, sum] = [0, 1, 2, 3, 4, 5];
const I32 = 0x7f;
const V128 = 0x7b;
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const i32Const = (value: number): number[] => [0x41, ...leb(value)];
const i32Load = [0x28, 2, 0];
const i32Add = [0x6a];
const i32ShiftLeft = [0x74];
const i32LessUnsigned = [0x49];
const vector = (operation: number, ...rest: number[]): number[] => [0xfd, ...leb(operation), ...rest];
const v128Load64Zero = (offset: number): number[] => vector(0x5d, 3, ...leb(offset));
const v128Store = vector(0x0b, 4, 0);
const v128Xor = vector(0x51);
const i16x8ExtendLowUnsigned = vector(0x89);
const i16x8Add = vector(0x8e);
const i8x16Shuffle = vector(0x0d, ...[0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
/** Runs again as long as `local` is less than `limit`. */
const loopWhileLess = (local: number, limit: number, ...body: number[]): number[] => [
  ...[0x03, 0x40, ...body],
  ...[...get(local), ...get(limit), ...i32LessUnsigned, 0x0d, 0, 0x0b],
];
const increase = (local: number, by: readonly number[]): number[] => [...get(local), ...by, ...i32Add, ...set(local)];

const bodyOf = (rows: number): number[] => [
  ...[2, 1, I32, 1, V128],
  ...loopWhileLess(
    from,
    end,
    ...[...get(from), ...get(size), ...i32Add, ...set(stop)],
    ...[...get(sum), ...get(sum), ...v128Xor, ...set(sum)],
    ...loopWhileLess(
      from,
      stop,
      ...[...get(sum), ...get(from), ...i32Load, ...i32Const(3), ...i32ShiftLeft],
      ...[...v128Load64Zero(rows), ...i16x8ExtendLowUnsigned, ...i16x8Add, ...set(sum)],
      ...increase(from, i32Const(4)),
    ),
    ...[...get(out), ...get(sum), ...get(sum), ...i8x16Shuffle, ...v128Store],
    ...increase(out, i32Const(16)),
  ),
  0x0b,
];

const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];

/** @param rows the offset of the table in the memory of the module, in bytes. */
const moduleOf = (rows: number, pages: number): Uint8Array<ArrayBuffer> => {
  const body = bodyOf(rows);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 4, I32, I32, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, ...leb(pages), ...leb(pages)]),
    ...section(7, [2, 3, ...Buffer.from('sum'), 0, 0, 6, ...Buffer.from('memory'), 2, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ]);
};

/** What Node has and its types lack. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** The module, with a memory of its own. */
export interface Kernel {
  readonly sum: Sum;
  readonly memory: { readonly buffer: ArrayBuffer };
}

const PAGE = 1 << 16;

/**
 * @param rows the offset of the table in the memory, in bytes.
 * @param size of the memory in bytes.
 */
export const createKernel = (rows: number, size: number): Kernel =>
  new WebAssembly.Instance(new WebAssembly.Module(moduleOf(rows, Math.ceil(size / PAGE)))).exports as Kernel;
