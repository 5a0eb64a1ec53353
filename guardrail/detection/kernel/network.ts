/**
 * The network of values and private names, in AssemblyScript: a module of its own, with vector instructions. See
 * `ner/tokenNetwork.ts` for what it computes. All numbers of a token stand together: WIDTH of 32 bits. Matrices stand column by
 * column, so that a number of the input is multiplied by a column at once.
 */

/** Numbers for each token, in bytes of a row of the table and in bytes of a state. */
const WIDTH: i32 = 48;
const STATE: i32 = 4 * WIDTH;
const MATRIX: i32 = WIDTH * STATE;
const TAPS: i32 = 5;
const LAYER: i32 = TAPS * STATE + MATRIX + STATE;
/** The odds of a token in bytes: the classes, and room to twelve. */
const ODDS: i32 = 48;
/** The greatest distance of a token that a layer sees: as much room is around the states. */
const MARGIN: i32 = 16 * STATE;

/** Numbers of one text: the value of one step of a row. */
const unitAt: i32 = 1024;
/** What one token sees around it, and what the whole text says: mean and greatest, and their sum. */
const aroundAt: i32 = 1088;
const wholeAt: i32 = aroundAt + STATE;
/** The weights: the bias of the rows, the layers, the matrix and bias of the whole, the matrix and bias of the odds. */
const weightsAt: i32 = 2048;
const layersAt: i32 = weightsAt + STATE;
const wholeMatrixAt: i32 = layersAt + 4 * LAYER;
const outAt: i32 = wholeMatrixAt + 2 * MATRIX + STATE;
const rowsAt: i32 = outAt + WIDTH * ODDS + ODDS;

/** Where the features of the tokens, the index of the first of each, and the odds are. They move when memory is divided anew. */
export let featuresAt: i32 = 0;
export let firstAt: i32 = 0;
export let oddsAt: i32 = 0;
let nowAt: i32 = 0;
let nextAt: i32 = 0;

/** Where the weights and the rows are, and how many rows have room. */
export function weights(): i32 {
  return unitAt;
}
export function layers(): i32 {
  return weightsAt;
}
export function table(): i32 {
  return rowsAt;
}

/** Reserves memory for texts with up to these numbers of tokens and features. */
export function reserve(rows: i32, tokens: i32, features: i32): void {
  featuresAt = rowsAt + WIDTH * rows;
  firstAt = featuresAt + 4 * features;
  oddsAt = (firstAt + 4 * (tokens + 1) + 15) & ~15;
  nowAt = oddsAt + ODDS * tokens + MARGIN;
  nextAt = nowAt + STATE * tokens + 2 * MARGIN;
  const end = nextAt + STATE * tokens + MARGIN;
  const pages = (end + 0xffff) >>> 16;
  if (pages > memory.size()) memory.grow(pages - memory.size());
}

/** Computes the odds of all classes for the tokens of a text. */
export function run(count: i32): void {
  clearMargins(nowAt, count);
  clearMargins(nextAt, count);
  sumRows(count);
  for (let layer = 0; layer < 4; layer++) {
    if (layer == 2) addWhole(count);
    runLayer(layersAt + layer * LAYER, STATE << layer, count);
    const swap = nowAt;
    nowAt = nextAt;
    nextAt = swap;
  }
  for (let token = 0; token < count; token++) classify(token);
}

/** No token stands before and after the text. */
function clearMargins(from: i32, count: i32): void {
  memory.fill(from - MARGIN, 0, MARGIN);
  memory.fill(from + STATE * count, 0, MARGIN);
}

function sumRows(count: i32): void {
  const unit = v128.load32_splat(unitAt);
  for (let token = 0; token < count; token++) {
    let a = i16x8.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let e = a;
    let f = a;
    const end = featuresAt + 4 * load<i32>(firstAt + 4 * token, 4);
    for (let at = featuresAt + 4 * load<i32>(firstAt + 4 * token); at < end; at += 4) {
      const row = rowsAt + WIDTH * load<i32>(at);
      const low = v128.load(row);
      const middle = v128.load(row, 16);
      const high = v128.load(row, 32);
      a = i16x8.add(a, i16x8.extend_low_i8x16_s(low));
      b = i16x8.add(b, i16x8.extend_high_i8x16_s(low));
      c = i16x8.add(c, i16x8.extend_low_i8x16_s(middle));
      d = i16x8.add(d, i16x8.extend_high_i8x16_s(middle));
      e = i16x8.add(e, i16x8.extend_low_i8x16_s(high));
      f = i16x8.add(f, i16x8.extend_high_i8x16_s(high));
    }
    const to = nowAt + STATE * token;
    put(to, 0, a, unit);
    put(to + 32, 32, b, unit);
    put(to + 64, 64, c, unit);
    put(to + 96, 96, d, unit);
    put(to + 128, 128, e, unit);
    put(to + 160, 160, f, unit);
  }
}

/** Writes eight sums of rows, with their bias and nothing below zero. */
function put(to: i32, at: i32, sum: v128, unit: v128): void {
  const zero = f32x4.splat(0);
  const low = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(sum)), unit);
  const high = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(sum)), unit);
  v128.store(to, f32x4.max(zero, f32x4.add(low, v128.load(weightsAt + at))));
  v128.store(to, f32x4.max(zero, f32x4.add(high, v128.load(weightsAt + at, 16))), 16);
}

function runLayer(layer: i32, distance: i32, count: i32): void {
  const matrix = layer + TAPS * STATE;
  const bias = matrix + MATRIX;
  const zero = f32x4.splat(0);
  for (let token = 0; token < count; token++) {
    const own = nowAt + STATE * token;
    for (let at = 0; at < STATE; at += 16) {
      const from = own + at;
      let sum = f32x4.mul(v128.load(layer + at), v128.load(from - 2 * distance));
      sum = f32x4.add(sum, f32x4.mul(v128.load(layer + at, STATE), v128.load(from - distance)));
      sum = f32x4.add(sum, f32x4.mul(v128.load(layer + at, 2 * STATE), v128.load(from)));
      sum = f32x4.add(sum, f32x4.mul(v128.load(layer + at, 3 * STATE), v128.load(from + distance)));
      sum = f32x4.add(sum, f32x4.mul(v128.load(layer + at, 4 * STATE), v128.load(from + 2 * distance)));
      v128.store(aroundAt + at, sum);
    }
    multiply(matrix, bias, aroundAt, WIDTH);
    const to = nextAt + STATE * token;
    v128.store(to, f32x4.add(v128.load(own, 0), f32x4.max(zero, o0)), 0);
    v128.store(to, f32x4.add(v128.load(own, 16), f32x4.max(zero, o1)), 16);
    v128.store(to, f32x4.add(v128.load(own, 32), f32x4.max(zero, o2)), 32);
    v128.store(to, f32x4.add(v128.load(own, 48), f32x4.max(zero, o3)), 48);
    v128.store(to, f32x4.add(v128.load(own, 64), f32x4.max(zero, o4)), 64);
    v128.store(to, f32x4.add(v128.load(own, 80), f32x4.max(zero, o5)), 80);
    v128.store(to, f32x4.add(v128.load(own, 96), f32x4.max(zero, o6)), 96);
    v128.store(to, f32x4.add(v128.load(own, 112), f32x4.max(zero, o7)), 112);
    v128.store(to, f32x4.add(v128.load(own, 128), f32x4.max(zero, o8)), 128);
    v128.store(to, f32x4.add(v128.load(own, 144), f32x4.max(zero, o9)), 144);
    v128.store(to, f32x4.add(v128.load(own, 160), f32x4.max(zero, o10)), 160);
    v128.store(to, f32x4.add(v128.load(own, 176), f32x4.max(zero, o11)), 176);
  }
}

/** The result of {@link multiply}. */
let o0: v128 = f32x4.splat(0);
let o1: v128 = f32x4.splat(0);
let o2: v128 = f32x4.splat(0);
let o3: v128 = f32x4.splat(0);
let o4: v128 = f32x4.splat(0);
let o5: v128 = f32x4.splat(0);
let o6: v128 = f32x4.splat(0);
let o7: v128 = f32x4.splat(0);
let o8: v128 = f32x4.splat(0);
let o9: v128 = f32x4.splat(0);
let o10: v128 = f32x4.splat(0);
let o11: v128 = f32x4.splat(0);

/** Multiplies a matrix by the numbers at an address, and adds the bias. The matrix has WIDTH rows. */
function multiply(matrix: i32, bias: i32, from: i32, columns: i32): void {
  let a = v128.load(bias, 0);
  let b = v128.load(bias, 16);
  let c = v128.load(bias, 32);
  let d = v128.load(bias, 48);
  let e = v128.load(bias, 64);
  let f = v128.load(bias, 80);
  let g = v128.load(bias, 96);
  let h = v128.load(bias, 112);
  let i = v128.load(bias, 128);
  let j = v128.load(bias, 144);
  let k = v128.load(bias, 160);
  let l = v128.load(bias, 176);
  for (let column = 0; column < columns; column++) {
    const one = v128.load32_splat(from + 4 * column);
    const weights = matrix + STATE * column;
    a = f32x4.add(a, f32x4.mul(one, v128.load(weights, 0)));
    b = f32x4.add(b, f32x4.mul(one, v128.load(weights, 16)));
    c = f32x4.add(c, f32x4.mul(one, v128.load(weights, 32)));
    d = f32x4.add(d, f32x4.mul(one, v128.load(weights, 48)));
    e = f32x4.add(e, f32x4.mul(one, v128.load(weights, 64)));
    f = f32x4.add(f, f32x4.mul(one, v128.load(weights, 80)));
    g = f32x4.add(g, f32x4.mul(one, v128.load(weights, 96)));
    h = f32x4.add(h, f32x4.mul(one, v128.load(weights, 112)));
    i = f32x4.add(i, f32x4.mul(one, v128.load(weights, 128)));
    j = f32x4.add(j, f32x4.mul(one, v128.load(weights, 144)));
    k = f32x4.add(k, f32x4.mul(one, v128.load(weights, 160)));
    l = f32x4.add(l, f32x4.mul(one, v128.load(weights, 176)));
  }
  o0 = a;
  o1 = b;
  o2 = c;
  o3 = d;
  o4 = e;
  o5 = f;
  o6 = g;
  o7 = h;
  o8 = i;
  o9 = j;
  o10 = k;
  o11 = l;
}

/** Adds to each token what the mean and the greatest of all tokens say. */
function addWhole(count: i32): void {
  const share = f32x4.splat(1 / <f32>count);
  const zero = f32x4.splat(0);
  for (let at = 0; at < STATE; at += 16) {
    let sum = zero;
    let most = zero;
    for (let token = 0; token < count; token++) {
      const value = v128.load(nowAt + STATE * token + at);
      sum = f32x4.add(sum, value);
      most = f32x4.max(most, value);
    }
    v128.store(wholeAt + at, f32x4.mul(sum, share));
    v128.store(wholeAt + at, most, STATE);
  }
  multiply(wholeMatrixAt, wholeMatrixAt + 2 * MATRIX, wholeAt, 2 * WIDTH);
  const a = f32x4.max(zero, o0);
  const b = f32x4.max(zero, o1);
  const c = f32x4.max(zero, o2);
  const d = f32x4.max(zero, o3);
  const e = f32x4.max(zero, o4);
  const f = f32x4.max(zero, o5);
  const g = f32x4.max(zero, o6);
  const h = f32x4.max(zero, o7);
  const i = f32x4.max(zero, o8);
  const j = f32x4.max(zero, o9);
  const k = f32x4.max(zero, o10);
  const l = f32x4.max(zero, o11);
  for (let token = 0; token < count; token++) {
    const own = nowAt + STATE * token;
    v128.store(own, f32x4.add(v128.load(own, 0), a), 0);
    v128.store(own, f32x4.add(v128.load(own, 16), b), 16);
    v128.store(own, f32x4.add(v128.load(own, 32), c), 32);
    v128.store(own, f32x4.add(v128.load(own, 48), d), 48);
    v128.store(own, f32x4.add(v128.load(own, 64), e), 64);
    v128.store(own, f32x4.add(v128.load(own, 80), f), 80);
    v128.store(own, f32x4.add(v128.load(own, 96), g), 96);
    v128.store(own, f32x4.add(v128.load(own, 112), h), 112);
    v128.store(own, f32x4.add(v128.load(own, 128), i), 128);
    v128.store(own, f32x4.add(v128.load(own, 144), j), 144);
    v128.store(own, f32x4.add(v128.load(own, 160), k), 160);
    v128.store(own, f32x4.add(v128.load(own, 176), l), 176);
  }
}

function classify(token: i32): void {
  const bias = outAt + WIDTH * ODDS;
  let a = v128.load(bias);
  let b = v128.load(bias, 16);
  let c = v128.load(bias, 32);
  const own = nowAt + STATE * token;
  for (let at = 0; at < WIDTH; at++) {
    const one = v128.load32_splat(own + 4 * at);
    a = f32x4.add(a, f32x4.mul(one, v128.load(outAt + ODDS * at)));
    b = f32x4.add(b, f32x4.mul(one, v128.load(outAt + ODDS * at, 16)));
    c = f32x4.add(c, f32x4.mul(one, v128.load(outAt + ODDS * at, 32)));
  }
  v128.store(oddsAt + ODDS * token, a);
  v128.store(oddsAt + ODDS * token, b, 16);
  v128.store(oddsAt + ODDS * token, c, 32);
}
