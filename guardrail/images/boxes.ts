/** Turns the boxes of words into the areas to paint over. Pure. */
import type { Box, OcrResult } from './contract.ts';

/** The margin, as a share of the box height. OCR boxes are slightly too tight, and letters have soft edges. */
const PADDING = 0.25;
/** The minimum margin, in pixels. */
const MIN_PADDING = 2;
/** The share of the gap to the next word that is painted over. The rest keeps that word readable. */
const GAP_SHARE = 0.4;

/** The height of a band, in pixels. Boxes are grouped by band, so that each one is compared with its neighbors only. */
const BAND = 32;

/** Adds a margin to each box. The margin ends before the next word. */
export function withMargins(boxes: readonly Box[], { passes }: OcrResult): Box[] {
  const bands = bandsOf(passes.flat(2).map(({ box }) => box));
  return distinct(boxes).map((box) => {
    const right = box.left + box.width;
    let leftGap = Infinity;
    let rightGap = Infinity;
    for (const band of bandsAcross(box)) {
      for (const word of bands.get(band) ?? []) {
        if (!overlap(word, box) || within(word, box)) continue;
        if (endOf(word) <= box.left) leftGap = Math.min(leftGap, box.left - endOf(word));
        if (word.left >= right) rightGap = Math.min(rightGap, word.left - right);
      }
    }
    const margin = Math.max(MIN_PADDING, PADDING * box.height);
    const before = Math.min(margin, Math.max(1, GAP_SHARE * leftGap));
    const after = Math.min(margin, Math.max(1, GAP_SHARE * rightGap));
    const above = Math.max(MIN_PADDING, (PADDING / 2) * box.height);
    return {
      left: box.left - before,
      top: box.top - above,
      width: box.width + before + after,
      height: box.height + 2 * above,
    };
  });
}

function bandsOf(boxes: readonly Box[]): ReadonlyMap<number, readonly Box[]> {
  const bands = new Map<number, Box[]>();
  for (const box of boxes) {
    for (const band of bandsAcross(box)) {
      const others = bands.get(band);
      if (others) others.push(box);
      else bands.set(band, [box]);
    }
  }
  return bands;
}

function bandsAcross({ top, height }: Box): number[] {
  const first = Math.floor(top / BAND);
  return Array.from({ length: Math.floor((top + height) / BAND) - first + 1 }, (_, at) => first + at);
}

function distinct(boxes: readonly Box[]): Box[] {
  const keyOf = ({ left, top, width, height }: Box): string => [left, top, width, height].join(' ');
  return [...new Map(boxes.map((box) => [keyOf(box), box])).values()];
}

function endOf({ left, width }: Box): number {
  return left + width;
}

function overlap(a: Box, b: Box): boolean {
  return Math.min(a.top + a.height, b.top + b.height) > Math.max(a.top, b.top);
}

function within(inner: Box, outer: Box): boolean {
  return inner.left >= outer.left && endOf(inner) <= endOf(outer);
}
