/** Points, polygons and perspective. All coordinates are pixels from the top left; a pixel is at its center. Pure. */

export type Point = readonly [x: number, y: number];
export type Polygon = readonly Point[];
/** The corners of a picture: top left, top right, bottom right, bottom left. */
export type Quad = readonly [Point, Point, Point, Point];

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const rectangle = (left: number, top: number, width: number, height: number): Quad => [
  [left, top],
  [left + width, top],
  [left + width, top + height],
  [left, top + height],
];

/** Maps points as a photograph does. */
export type Projection = (point: Point) => Point;

/**
 * The projection that maps the corners of a rectangle at the origin to four corners, and its inverse.
 * @throws Error if three corners are in line
 */
export function projectionTo({ width, height }: Size, corners: Quad): { map: Projection; back: Projection } {
  corners.forEach((corner, at) => {
    const triangle = [corner, corners[(at + 1) % 4] ?? corner, corners[(at + 2) % 4] ?? corner];
    if (areaOf(triangle) < 1e-6) throw new Error('Three corners are in line.');
  });
  const equations = rectangle(0, 0, width, height).flatMap(([x, y], at) => {
    const [u, v] = corners[at] ?? [0, 0];
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ];
  });
  const matrix = [...solved(equations), 1];
  return { map: byMatrix(matrix), back: byMatrix(inverse(matrix)) };
}

/** Solves linear equations. Each has its coefficients and the right side. */
function solved(equations: number[][]): number[] {
  const size = equations.length;
  const rows = equations.map((row) => [...row]);
  for (let column = 0; column < size; column += 1) {
    const candidates = rows.slice(column).map((row) => Math.abs(row[column] ?? 0));
    const best = column + candidates.indexOf(Math.max(...candidates));
    const pivot = rows[best] ?? [];
    rows[best] = rows[column] ?? [];
    rows[column] = pivot;
    const divisor = pivot[column] ?? 0;
    for (let other = 0; other < size; other += 1) {
      const row = rows[other] ?? [];
      const factor = (row[column] ?? 0) / divisor;
      if (other !== column)
        for (let at = column; at <= size; at += 1) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}

const byMatrix = (matrix: readonly number[]): Projection => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = matrix;
  return ([x, y]) => {
    const depth = g * x + h * y + i;
    return [(a * x + b * y + c) / depth, (d * x + e * y + f) / depth];
  };
};

/** The adjugate: a projection does not depend on the scale of its matrix. */
function inverse(matrix: readonly number[]): number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = matrix;
  return [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f, d * h - e * g, b * g - a * h, a * e - b * d]; // prettier-ignore
}

/** The corners of a picture that is turned clockwise, and the size of the smallest picture around it. */
export function turned({ width, height }: Size, degrees: number): { corners: Quad; size: Size } {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const around = {
    width: Math.round(Math.abs(width * cos) + Math.abs(height * sin)),
    height: Math.round(Math.abs(width * sin) + Math.abs(height * cos)),
  };
  const turn = ([x, y]: Point): Point => {
    const [dx, dy] = [x - width / 2, y - height / 2];
    return [around.width / 2 + dx * cos - dy * sin, around.height / 2 + dx * sin + dy * cos];
  };
  const [one, two, three, four] = rectangle(0, 0, width, height);
  return { corners: [turn(one), turn(two), turn(three), turn(four)], size: around };
}

export function areaOf(polygon: Polygon): number {
  return Math.abs(
    polygon.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = polygon[(at + 1) % polygon.length] ?? [x, y];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0),
  );
}

/** Whether a point is in a polygon: a ray to the right crosses its border an odd number of times. */
export function contains(polygon: Polygon, [x, y]: Point): boolean {
  let isIn = false;
  polygon.forEach(([x1, y1], at) => {
    const [x2, y2] = polygon[(at + 1) % polygon.length] ?? [x1, y1];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
  });
  return isIn;
}

/** The pixels whose centers are in a polygon and in the picture. */
export function* pixelsIn(polygon: Polygon, { width, height }: Size): Generator<Point> {
  const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)];
  const [left, right] = [Math.max(0, Math.floor(Math.min(...xs))), Math.min(width, Math.ceil(Math.max(...xs)))];
  const [top, bottom] = [Math.max(0, Math.floor(Math.min(...ys))), Math.min(height, Math.ceil(Math.max(...ys)))];
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) if (contains(polygon, [x + 0.5, y + 0.5])) yield [x, y];
}
