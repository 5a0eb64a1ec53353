/** Rectangles in any direction, and how they are found around points. Pure. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle in any direction. Lengths are in pixels. */
export interface Rectangle {
  /** The center. */
  readonly x: number;
  readonly y: number;
  /** The length along the direction. */
  readonly width: number;
  readonly height: number;
  /** The direction in which text runs, in radians, clockwise from the right, since rows count downwards. */
  readonly angle: number;
}

/** An upright rectangle. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the corners, clockwise from the top left one of a reader. */
export function cornersOf({ x, y, width, height, angle }: Rectangle): Point[] {
  const [cos, sin] = [Math.cos(angle) / 2, Math.sin(angle) / 2];
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([along = 0, down = 0]) => ({
    x: x + along * width * cos - down * height * sin,
    y: y + along * width * sin + down * height * cos,
  }));
}

/**
 * Returns a part of a rectangle.
 * @param from the start along the direction, as a share of the width; `to` is the end
 * @param inset what is cut from the top and from the bottom, as a share of the height
 */
export function partOf(whole: Rectangle, from: number, to: number, inset = 0): Rectangle {
  const shift = ((from + to) / 2 - 0.5) * whole.width;
  return {
    x: whole.x + shift * Math.cos(whole.angle),
    y: whole.y + shift * Math.sin(whole.angle),
    width: (to - from) * whole.width,
    height: (1 - 2 * inset) * whole.height,
    angle: whole.angle,
  };
}

/** Returns the upright rectangle around a rectangle, after the image is turned back by an angle. */
export function boxAround({ x, y, width, height, angle }: Rectangle, turned: number): Box {
  const rest = angle - turned;
  const [cos, sin] = [Math.abs(Math.cos(rest)), Math.abs(Math.sin(rest))];
  const size = { width: width * cos + height * sin, height: width * sin + height * cos };
  const center = { x: x * Math.cos(turned) + y * Math.sin(turned), y: y * Math.cos(turned) - x * Math.sin(turned) };
  return { left: center.x - size.width / 2, top: center.y - size.height / 2, ...size };
}

/** Returns the convex hull, in order (monotone chain). The input is changed. */
export function hullOf(points: Point[]): Point[] {
  points.sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      for (;;) {
        const [before, last] = [chain.at(-2), chain.at(-1)];
        if (!before || !last) break;
        if ((last.x - before.x) * (point.y - before.y) > (last.y - before.y) * (point.x - before.x)) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  const hull = [...half(points), ...half(points.reverse())];
  return hull.length > 0 ? hull : points.slice(0, 1);
}

/** Returns the rectangle of this direction around points. */
export function rectangleAround(points: readonly Point[], angle: number): Rectangle {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    const along = x * cos + y * sin;
    const down = y * cos - x * sin;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, down);
    bottom = Math.max(bottom, down);
  }
  const [along, down] = [(left + right) / 2, (top + bottom) / 2];
  return { x: along * cos - down * sin, y: along * sin + down * cos, width: right - left, height: bottom - top, angle };
}

/**
 * Returns the smallest rectangle around a convex hull: one of its sides lies on a side of the hull. Its direction is that of
 * its longer side, from the left to the right.
 */
export function smallestRectangle(hull: readonly Point[]): Rectangle {
  let best = rectangleAround(hull, 0);
  for (const [at, from] of hull.entries()) {
    const to = hull[(at + 1) % hull.length] ?? from;
    const one = rectangleAround(hull, Math.atan2(to.y - from.y, to.x - from.x));
    if (one.width * one.height < best.width * best.height) best = one;
  }
  const { width, height, angle } = best;
  return width >= height
    ? { ...best, angle: axisOf(angle) }
    : { ...best, width: height, height: width, angle: axisOf(angle + Math.PI / 2) };
}

/** Returns the same axis as an angle of more than -90 and at most 90 degrees. */
export function axisOf(angle: number): number {
  const half = Math.PI / 2;
  return half - ((((half - angle) % Math.PI) + Math.PI) % Math.PI);
}

/** Returns the angle between two axes, from 0 to 90 degrees, in radians. */
export function axisDifference(one: number, other: number): number {
  return Math.abs(axisOf(one - other));
}
