import { expect } from 'chai';
import fc from 'fast-check';
import {
  axisDifference,
  boxAround,
  cornersOf,
  hullOf,
  rectangleAround,
  smallestRectangle,
  type Rectangle,
} from './geometry.ts';
import { findTextLines, type ProbabilityMap } from './textRegions.ts';

const rectangle = (angle: number, changes: Partial<Rectangle> = {}): Rectangle => ({
  ...{ x: 200, y: 150, width: 160, height: 10, angle },
  ...changes,
});

/** A map with text in these rectangles. */
function mapOf(cores: readonly Rectangle[], probability = 0.9): ProbabilityMap {
  const [width, height] = [400, 300];
  const data = new Float32Array(width * height);
  for (const { x, y, angle, ...size } of cores) {
    for (let at = 0; at < data.length; at += 1) {
      const [right, below] = [(at % width) + 0.5 - x, Math.floor(at / width) + 0.5 - y];
      const along = right * Math.cos(angle) + below * Math.sin(angle);
      const down = below * Math.cos(angle) - right * Math.sin(angle);
      if (Math.abs(along) <= size.width / 2 && Math.abs(down) <= size.height / 2) data[at] = probability;
    }
  }
  return { width, height, data };
}

describe('geometry', () => {
  const coordinate = fc.double({ min: -1000, max: 1000, noNaN: true });
  const point = fc.record({ x: coordinate, y: coordinate });

  it('finds a rectangle around all points that is no larger than the upright one', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), (points) => {
        const upright = rectangleAround(points, 0);
        const found = smallestRectangle(hullOf([...points]));
        expect(found.width * found.height).to.be.at.most(upright.width * upright.height + 1e-6);
        expect(found.width).to.be.at.least(found.height);
        for (const { x, y } of points) {
          const box = boxAround(found, found.angle);
          const [along, down] = [
            x * Math.cos(found.angle) + y * Math.sin(found.angle),
            y * Math.cos(found.angle) - x * Math.sin(found.angle),
          ];
          expect(along).to.be.within(box.left - 1e-6, box.left + box.width + 1e-6);
          expect(down).to.be.within(box.top - 1e-6, box.top + box.height + 1e-6);
        }
      }),
    );
  });

  it('finds a rectangle again from its corners', () => {
    for (const angle of [0, 0.3, -1.2, Math.PI / 2]) {
      const { x, y, width, height, angle: found } = smallestRectangle(hullOf(cornersOf(rectangle(angle))));
      for (const [value, expected] of [
        [x, 200],
        [y, 150],
        [width, 160],
        [height, 10],
      ] as const) {
        expect(value).to.be.closeTo(expected, 1e-6);
      }
      expect(axisDifference(found, angle)).to.be.closeTo(0, 1e-6);
    }
  });
});

describe('lines of text in a map of probabilities', () => {
  for (const degrees of [0, 8, -20, 45, 90]) {
    it(`are found at ${degrees} degrees, with a margin`, () => {
      const angle = (degrees * Math.PI) / 180;
      const { axis, lines } = findTextLines(mapOf([rectangle(angle)]));
      expect(lines).to.have.length(1);
      const [{ x, y, width, height, angle: found }] = lines as [Rectangle];
      expect(axisDifference(found, angle)).to.be.below(0.03);
      expect(axisDifference(axis, angle)).to.be.below(0.03);
      expect(x).to.be.closeTo(200, 1);
      expect(y).to.be.closeTo(150, 1);
      // Area / perimeter is 4.7, and the margin is 1.6 times that on each side.
      expect(height).to.be.within(24, 29);
      expect(width).to.be.within(174, 179);
    });
  }

  it('all run in about the same direction', () => {
    const nearly = Math.PI / 2;
    const cores = [
      rectangle(nearly - 0.02, { x: 100 }),
      rectangle(nearly + 0.02, { x: 200 }),
      rectangle(nearly, { x: 300 }),
    ];
    const { axis, lines } = findTextLines(mapOf(cores));
    expect(lines).to.have.length(3);
    for (const { angle } of lines) expect(Math.abs(angle - axis)).to.be.below(0.1);
  });

  it('of few letters run along the others', () => {
    const cores = [rectangle(0.2), rectangle(0.2, { y: 250, width: 14 })];
    const { axis, lines } = findTextLines(mapOf(cores));
    expect(axis).to.be.closeTo(0.2, 0.02);
    expect(lines.map(({ angle }) => angle)).to.deep.equal([axis, axis]);
  });

  it('are not found in specks, and where the network is not sure', () => {
    expect(findTextLines(mapOf([rectangle(0, { width: 20, height: 2 })])).lines).to.deep.equal([]);
    expect(findTextLines(mapOf([rectangle(0)], 0.4)).lines).to.deep.equal([]);
    expect(findTextLines(mapOf([rectangle(0)], 0.6)).lines).to.have.length(1);
  });
});
