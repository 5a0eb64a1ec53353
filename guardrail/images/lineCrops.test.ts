import { expect } from 'chai';
import { columnsOf, copyLine, LINE_HEIGHT, Scales, type Pixels } from './lineCrops.ts';

/** Pixels whose red grows to the right, whose green grows downwards, and whose blue is constant. */
function gradient(width: number, height: number): Pixels {
  const rgb = new Uint8Array(3 * width * height);
  for (let at = 0; at < width * height; at += 1) {
    rgb.set([(255 * (at % width)) / width, (255 * Math.floor(at / width)) / height, 51], 3 * at);
  }
  return { width, height, rgb };
}

/** The values of a pixel of a line, as red, green, blue from 0 to 1. */
function valuesOf(pixels: Pixels, line: Parameters<typeof columnsOf>[0], share: number, row: number): number[] {
  const columns = columnsOf(line);
  const data = new Float32Array(3 * LINE_HEIGHT * (columns + 5));
  copyLine(new Scales(pixels), line, { data, start: 0, rowLength: columns + 5 });
  const at = row * (columns + 5) + Math.floor(share * (columns - 1));
  const plane = LINE_HEIGHT * (columns + 5);
  expect(data[columns + 2], 'the padding').to.equal(0);
  return [2, 1, 0].map((channel) => ((data[channel * plane + at] ?? 0) + 1) / 2);
}

const LINES = {
  'upright, enlarged': { x: 100, y: 100, width: 100, height: 20, angle: 0 },
  'reduced eightfold': { x: 800, y: 800, width: 800, height: 400, angle: 0 },
  tilted: { x: 100, y: 100, width: 100, height: 20, angle: 0.5 },
  'upside down': { x: 100, y: 100, width: 100, height: 20, angle: Math.PI },
  downwards: { x: 100, y: 100, width: 100, height: 20, angle: Math.PI / 2 },
} as const;

describe('the pixels of a line', () => {
  for (const [what, line] of Object.entries(LINES)) {
    it(`are read in its direction: ${what}`, () => {
      const size = line.x === 800 ? 1600 : 200;
      const pixels = gradient(size, size);
      for (const share of [0, 0.5, 1]) {
        const along = (share - 0.5) * line.width;
        const [red = 0, green = 0, blue = 0] = valuesOf(pixels, line, share, LINE_HEIGHT / 2);
        expect(red).to.be.closeTo((line.x + along * Math.cos(line.angle)) / size, 0.02);
        expect(green).to.be.closeTo((line.y + along * Math.sin(line.angle)) / size, 0.02);
        expect(blue).to.be.closeTo(0.2, 0.01);
      }
    });
  }

  it('repeat the border outside the image', () => {
    const [red = 0] = valuesOf(gradient(200, 200), { x: 0, y: 100, width: 100, height: 20, angle: 0 }, 0, 24);
    expect(red).to.be.closeTo(0, 0.01);
  });

  it('of a line that is reduced are means, not single ones', () => {
    const width = 640;
    const rgb = new Uint8Array(3 * width * width).map((_, at) => (Math.floor(at / 3) % 2 === 0 ? 0 : 255));
    const [red] = valuesOf(
      { width, height: width, rgb },
      { x: 320, y: 320, width: 600, height: 480, angle: 0 },
      0.5,
      24,
    );
    expect(red).to.be.closeTo(0.5, 0.05);
  });
});
