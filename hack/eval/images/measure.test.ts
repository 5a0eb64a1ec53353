import { expect } from 'chai';
import type { Pixels } from './effects.ts';
import { areaOf, contains, pixelsIn, projectionTo, rectangle, turned, type Polygon } from './geometry.ts';
import { maskedArea, maskedShare, scoreOf } from './measure.ts';
import type { Picture } from './pictures.ts';

const SIZE = { width: 200, height: 60 };
const VALUE = rectangle(20, 10, 100, 20);
const OTHER = rectangle(20, 40, 60, 12);

/** A picture of one color with a bar of another one. */
function pixels(paper: number, ink: number, bar: Polygon = []): Pixels {
  const rgb = Buffer.alloc(3 * SIZE.width * SIZE.height, paper);
  for (const [x, y] of pixelsIn(bar, SIZE)) rgb.fill(ink, 3 * (y * SIZE.width + x), 3 * (y * SIZE.width + x) + 3);
  return { ...SIZE, rgb };
}

const picture: Picture = {
  spec: {
    set: 'plain',
    kind: 'chat',
    name: 'plain chat 1',
    seed: 1,
    scale: 1,
    format: 'png',
    effects: [],
    layout: () => ({ html: '', width: 0 }),
  },
  file: Buffer.alloc(0),
  ...SIZE,
  text: 'Anna Berg\nhello',
  words: [
    { text: 'Anna', polygon: rectangle(20, 10, 45, 20), isValue: true },
    { text: 'Berg', polygon: rectangle(75, 10, 45, 20), isValue: true },
    { text: 'hello', polygon: OTHER, isValue: false },
  ],
  values: [{ kind: 'name', text: 'Anna Berg', polygons: [VALUE], start: 0, end: 9 }],
};
const before = pixels(250, 250);
const leftAfter = (after: Pixels): number => scoreOf(picture, before, { after, texts: [] }).left.length;

describe('the measure of pictures', () => {
  it('has nothing left in a picture that is painted over, and everything in an untouched one', () => {
    expect(leftAfter(pixels(190, 190))).to.equal(0);
    expect(leftAfter(before)).to.equal(1);
    expect(leftAfter(pixels(246, 246)), 'encoded again').to.equal(1);
  });

  it('has a value left from 79 % of masked ink downwards', () => {
    expect(leftAfter(pixels(250, 190, rectangle(20, 10, 79, 20)))).to.equal(1);
    expect(leftAfter(pixels(250, 190, rectangle(20, 10, 80, 20)))).to.equal(0);
    expect(leftAfter(pixels(250, 190, rectangle(20, 10, 100, 15))), 'the lower part is free').to.equal(1);
    expect(leftAfter(pixels(250, 190, rectangle(41, 10, 159, 20))), 'the begin is free').to.equal(1);
  });

  it('counts a mask in the color of the paper by the letters that it hides', () => {
    const written = pixels(130, 130);
    for (let x = 20; x < 120; x += 10)
      for (const [column, row] of pixelsIn(rectangle(x, 10, 2, 20), SIZE))
        written.rgb.fill(20, 3 * (row * SIZE.width + column), 3 * (row * SIZE.width + column) + 3);
    expect(maskedShare([rectangle(20, 10, 92, 20)], maskedArea(written, pixels(130, 130)))).to.equal(1);
    expect(maskedShare([OTHER], maskedArea(written, pixels(130, 130)))).to.equal(0);
  });

  it('counts words that are lost, and words and values that were read', () => {
    const after = pixels(250, 190, rectangle(0, 0, 200, 60));
    const score = scoreOf(picture, before, { after, texts: ['Anna', 'hello, Bert'] });
    expect(score).to.include({ words: 3, wordsRead: 2, others: 1, isRefused: false });
    expect(score.lost.map(({ text }) => text)).to.deep.equal(['hello']);
    const untouched = scoreOf(picture, before, { after: before, texts: ['Anna Berg'] });
    expect(untouched.lost).to.deep.equal([]);
    expect(untouched.left).to.have.length(1);
    expect(untouched.left[0]).to.include({ isRead: true, share: 0 });
  });

  it('has nothing left of a refused picture', () => {
    expect(scoreOf(picture, before, { after: undefined, texts: [] })).to.include({ isRefused: true });
    expect(scoreOf(picture, before, { after: undefined, texts: [] }).left).to.deep.equal([]);
  });
});

describe('geometry', () => {
  it('projects the corners of a picture, and back', () => {
    const corners = [[12, 5], [180, 30], [150, 90], [3, 70]] as const; // prettier-ignore
    const { map, back } = projectionTo(SIZE, corners);
    rectangle(0, 0, SIZE.width, SIZE.height).forEach((corner, at) => {
      const [x, y] = map(corner);
      expect(x).to.be.closeTo(corners[at]?.[0] ?? NaN, 1e-6);
      expect(y).to.be.closeTo(corners[at]?.[1] ?? NaN, 1e-6);
      const [backX, backY] = back([x, y]);
      expect([backX - corner[0], backY - corner[1]].map(Math.abs)).to.satisfy((all: number[]) => Math.max(...all) < 1e-6);
    });
  }); // prettier-ignore

  it('refuses corners in line', () => {
    expect(() => projectionTo(SIZE, [[0, 0], [1, 1], [2, 2], [0, 5]])).to.throw('in line');
  }); // prettier-ignore

  it('turns clockwise, in the smallest picture around', () => {
    const quarter = turned(SIZE, 90);
    expect(quarter.size).to.deep.equal({ width: 60, height: 200 });
    expect(quarter.corners.map((point) => point.map((side) => Math.round(side) + 0))).to.deep.equal([[60, 0], [60, 200], [0, 200], [0, 0]]);
    const { corners, size } = turned(SIZE, 20);
    expect(areaOf(corners)).to.be.closeTo(12_000, 1);
    for (const [x, y] of corners) {
      expect(x).to.be.within(-1, size.width + 1);
      expect(y).to.be.within(-1, size.height + 1);
    }
  }); // prettier-ignore

  it('knows the area of a polygon and the pixels in it', () => {
    const triangle: Polygon = [[0, 0], [40, 0], [0, 30]]; // prettier-ignore
    expect(areaOf(triangle)).to.equal(600);
    expect([...pixelsIn(triangle, SIZE)].length).to.be.closeTo(600, 20);
    expect(contains(triangle, [5, 5])).to.equal(true);
    expect(contains(triangle, [30, 25])).to.equal(false);
    expect([...pixelsIn(rectangle(-10, -10, 12, 12), SIZE)]).to.have.length(4);
  });
});
