/**
 * Finds lines of text in the output of the detection network, which has the probability of text for each pixel
 * (Differentiable Binarization, Liao et al. 2020, section 3.4). Pure.
 */
import {
  axisDifference,
  axisOf,
  hullOf,
  rectangleAround,
  smallestRectangle,
  type Point,
  type Rectangle,
} from './geometry.ts';

/** The probability from which a pixel is text. */
const MIN_PROBABILITY = 0.3;
/** The mean probability within a rectangle, from which it is a line. */
const MIN_SCORE = 0.5;
/** The network marks the core of a line. The line extends beyond it by this multiple of area / perimeter. */
const UNCLIP = 1.6;
/** The minimum height of a core, in pixels. */
const MIN_CORE = 3;
/** A core with a smaller ratio of its sides has no reliable direction. It gets that of the page. */
const MIN_RATIO = 3;

interface Region {
  readonly hull: readonly Point[];
  /** The sum of all probabilities. */
  readonly mass: number;
}

/** A map of probabilities, row by row. */
export interface ProbabilityMap {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** The lines of a page. */
export interface PageLines {
  /** The axis along which most lines run: more than -90, at most 90 degrees. */
  readonly axis: number;
  /** The lines, each along its longer side, in a direction near the axis. Lines of few letters run along the axis. */
  readonly lines: readonly Rectangle[];
}

export function findTextLines(map: ProbabilityMap): PageLines {
  const cores = [...regionsOf(map)].flatMap(({ hull, mass }) => {
    const core = smallestRectangle(hull);
    const isText = core.height >= MIN_CORE && mass >= MIN_SCORE * core.width * core.height;
    return isText ? [{ hull, core }] : [];
  });
  const axis = commonAxis(cores.map(({ core }) => core));
  const lines = cores.map(({ hull, core }) => {
    const isLong = core.width >= MIN_RATIO * core.height;
    return unclip(isLong ? { ...core, angle: axis + axisOf(core.angle - axis) } : rectangleAround(hull, axis));
  });
  return { axis, lines };
}

function unclip(core: Rectangle): Rectangle {
  const distance = (UNCLIP * core.width * core.height) / (2 * (core.width + core.height));
  return { ...core, width: core.width + 2 * distance, height: core.height + 2 * distance };
}

/** The mean of the axes of long lines, weighted by their lengths. Twice the angle has a mean, since an axis has two ends. */
function commonAxis(cores: readonly Rectangle[]): number {
  const long = cores.filter(({ width, height }) => width >= MIN_RATIO * height);
  const meanOf = (some: readonly Rectangle[]): number => {
    const sum = (part: (angle: number) => number): number =>
      some.reduce((total, { width, angle }) => total + width * part(2 * angle), 0);
    return axisOf(Math.atan2(sum(Math.sin), sum(Math.cos)) / 2);
  };
  const mean = meanOf(long);
  // Without the lines that run across it, since they would turn it.
  return meanOf(long.filter(({ angle }) => axisDifference(angle, mean) < Math.PI / 8));
}

/** Groups of adjacent pixels of text. */
function* regionsOf(map: ProbabilityMap): Generator<Region> {
  const runs = runsOf(map);
  const groups = Map.groupBy(runs.keys(), (run) => runs.rootOf(run));
  for (const group of groups.values()) {
    const points: Point[] = [];
    let mass = 0;
    for (const run of group) {
      const { row, from, to, sum } = runs.at(run);
      mass += sum;
      points.push({ x: from, y: row }, { x: from, y: row + 1 }, { x: to, y: row }, { x: to, y: row + 1 });
    }
    yield { hull: hullOf(points), mass };
  }
}

/** Pixels of text beside each other in a row. */
interface Run {
  readonly row: number;
  readonly from: number;
  /** The column after the run. */
  readonly to: number;
  /** The sum of the probabilities. */
  readonly sum: number;
}

/** Runs, joined to sets of adjacent ones (union-find). */
class Runs {
  readonly #runs: Run[] = [];
  readonly #parents: number[] = [];

  add(run: Run): void {
    this.#parents.push(this.#runs.length);
    this.#runs.push(run);
  }

  get length(): number {
    return this.#runs.length;
  }

  keys(): IterableIterator<number> {
    return this.#runs.keys();
  }

  at(run: number): Run {
    const found = this.#runs[run];
    if (!found) throw new RangeError('There is no such run.');
    return found;
  }

  rootOf(run: number): number {
    let root = run;
    for (let parent = this.#parents[root] ?? root; parent !== root; parent = this.#parents[root] ?? root) {
      this.#parents[root] = this.#parents[parent] ?? parent;
      root = parent;
    }
    return root;
  }

  join(one: number, other: number): void {
    this.#parents[this.rootOf(one)] = this.rootOf(other);
  }
}

function runsOf({ width, height, data }: ProbabilityMap): Runs {
  const runs = new Runs();
  /** The first run of the row before this one. */
  let above = 0;
  for (let row = 0; row < height; row += 1) {
    const first = runs.length;
    for (let x = 0; x < width; x += 1) {
      const from = x;
      let sum = 0;
      for (let value = data[row * width + x] ?? 0; value > MIN_PROBABILITY && x < width;) {
        sum += value;
        x += 1;
        value = x < width ? (data[row * width + x] ?? 0) : 0;
      }
      if (x > from) runs.add({ row, from, to: x, sum });
    }
    joinRows(runs, above, first);
    above = first;
  }
  return runs;
}

/** Joins the runs of a row, which begin at `first`, with those of the row above that touch them, also at a corner. */
function joinRows(runs: Runs, above: number, first: number): void {
  let upper = above;
  for (let lower = first; lower < runs.length; lower += 1) {
    const { from, to } = runs.at(lower);
    while (upper < first && runs.at(upper).to < from) upper += 1;
    for (let at = upper; at < first && runs.at(at).from <= to; at += 1) runs.join(at, lower);
  }
}
