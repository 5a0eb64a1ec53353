/** What is left of the values of a picture after it was redacted, from the pixels before and after alone. Pure. */
import type { Pixels } from './effects.ts';
import { pixelsIn, type Polygon, type Size } from './geometry.ts';
import type { Picture } from './pictures.ts';
import type { TrueValue, TrueWord } from './browser.ts';

/** A value is left if less than this share of its ink is masked. */
export const HIDDEN_SHARE = 0.8;
/** A word outside values is lost if at least this share of it is masked. */
const LOST_SHARE = 0.5;
/** How much one channel of a masked pixel differs. Encoding a picture again changes it by less. */
const CHANGED = 24;
/**
 * The color of a mask can be close to that of the paper, so that only the letters differ. Gaps of up to twice this number of
 * pixels between changed ones count as changed, too.
 */
const CLOSING = 6;

/** One byte per pixel: 1 if it is masked. */
export interface MaskedArea extends Size {
  readonly isMasked: Uint8Array;
}

/** @param after of the same size. */
export function maskedArea(before: Pixels, after: Pixels): MaskedArea {
  const { width, height } = before;
  const changed = new Uint8Array(width * height);
  for (let at = 0; at < changed.length; at += 1) {
    const from = 3 * at;
    const difference = (channel: number): number =>
      Math.abs((before.rgb[from + channel] ?? 0) - (after.rgb[from + channel] ?? 0));
    if (difference(0) > CHANGED || difference(1) > CHANGED || difference(2) > CHANGED) changed[at] = 1;
  }
  return { width, height, isMasked: closed(changed, { width, height }) };
}

/** Closes gaps: grows the area in rows and columns, and shrinks it again. */
function closed(area: Uint8Array, size: Size): Uint8Array {
  const grow = (now: Uint8Array): Uint8Array => spread(spread(now, size, true), size, false);
  return inverse(grow(inverse(grow(area))));
}

const inverse = (area: Uint8Array): Uint8Array => area.map((one) => 1 - one);

/** Sets each pixel that is near to one that is set, in its row or its column. */
function spread(area: Uint8Array, { width, height }: Size, isRow: boolean): Uint8Array {
  const result = new Uint8Array(area.length);
  const [lines, length, step, stride] = isRow ? [height, width, 1, width] : [width, height, width, 1];
  for (let line = 0; line < lines; line += 1) {
    let until = -1;
    for (let pass = 0; pass < 2; pass += 1, until = -1)
      for (let place = 0; place < length; place += 1) {
        const at = line * stride + (pass === 0 ? place : length - 1 - place) * step;
        if (area[at] === 1) until = place + CLOSING;
        if (place <= until) result[at] = 1;
      }
  }
  return result;
}

/** The masked share of the pixels in polygons; 0 if these are outside of the picture. */
export function maskedShare(polygons: readonly Polygon[], area: MaskedArea): number {
  let [all, masked] = [0, 0];
  for (const polygon of polygons)
    for (const [x, y] of pixelsIn(polygon, area)) {
      all += 1;
      masked += area.isMasked[y * area.width + x] ?? 0;
    }
  return all === 0 ? 0 : masked / all;
}

/** What became of a picture. */
export interface Redaction {
  /** Undefined if the picture was refused. */
  readonly after: Pixels | undefined;
  /** The texts that were read. */
  readonly texts: readonly string[];
}

export interface LeftValue extends TrueValue {
  readonly share: number;
  /** Its letters are in the text that was read. Then the detector or the mask missed it. */
  readonly isRead: boolean;
}

export interface PictureScore {
  readonly isRefused: boolean;
  readonly left: readonly LeftValue[];
  /** Words with letters or digits, and those that were read. */
  readonly words: number;
  readonly wordsRead: number;
  /** Words outside values, and those that are lost. Nothing of a refused picture is left, and nothing is lost. */
  readonly others: number;
  readonly lost: readonly TrueWord[];
  /** The masked share of the whole picture. */
  readonly maskedShare: number;
}

/** Scores the redaction of a picture. @param before its pixels */
export function scoreOf(picture: Picture, before: Pixels, { after, texts }: Redaction): PictureScore {
  const words = picture.words.filter(({ text }) => normal(text) !== '');
  const others = words.filter(({ isValue }) => !isValue);
  const wasRead = readerOf(texts);
  const score = {
    words: words.length,
    wordsRead: words.filter(({ text }) => wasRead.word(text)).length,
    others: others.length,
  };
  if (after === undefined) return { ...score, isRefused: true, left: [], lost: [], maskedShare: 0 };
  const area = maskedArea(before, after);
  const values = picture.values.map((value) => ({ ...value, share: maskedShare(value.polygons, area), isRead: wasRead.value(value.text) })); // prettier-ignore
  return {
    ...score,
    isRefused: false,
    left: values.filter(({ share }) => share < HIDDEN_SHARE),
    lost: others.filter(({ polygon }) => maskedShare([polygon], area) >= LOST_SHARE),
    maskedShare: area.isMasked.reduce((sum, one) => sum + one, 0) / area.isMasked.length,
  };
}

const normal = (text: string): string => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase(); // prettier-ignore
/** Scripts that do not put a space between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function readerOf(texts: readonly string[]): { word: (text: string) => boolean; value: (text: string) => boolean } {
  const words = new Set(texts.flatMap((text) => text.split(/\s+/).map(normal)));
  const whole = texts.map(normal);
  const value = (text: string): boolean => whole.some((one) => one.includes(normal(text)));
  return { word: (text) => words.has(normal(text)) || (UNSPACED.test(text) && value(text)), value };
}
