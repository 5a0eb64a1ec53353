import { expect } from 'chai';
import { Random } from '../../training/random.ts';
import * as effects from './effects.ts';
import type { Effect, Pixels } from './effects.ts';
import { rectangle } from './geometry.ts';

const SIZE = { width: 240, height: 160 };
/** The center of a dark square on white paper. */
const [X, Y] = [180, 40];

function paper(): Pixels {
  const rgb = Buffer.alloc(3 * SIZE.width * SIZE.height, 255);
  for (let y = Y - 10; y < Y + 10; y += 1) rgb.fill(0, 3 * (y * SIZE.width + X - 10), 3 * (y * SIZE.width + X + 10));
  return { ...SIZE, rgb };
}

/** The mean brightness around a point. */
function brightness({ width, rgb }: Pixels, [x, y]: readonly [number, number]): number {
  let sum = 0;
  for (const dx of [-2, -1, 0, 1, 2])
    for (const dy of [-2, -1, 0, 1, 2]) sum += rgb[3 * (Math.floor(y + dy) * width + Math.floor(x + dx)) + 1] ?? 0;
  return sum / 25;
}

const CASES: Readonly<Record<string, Effect>> = {
  'tilted by 8°': effects.tilted(8),
  'tilted by -20°': effects.tilted(-20),
  'turned by 90°': effects.quarterTurned(90),
  'turned by 180°': effects.quarterTurned(180),
  'turned by 270°': effects.quarterTurned(270),
  photographed: effects.photographed('desk'),
  grainy: effects.grainy(12),
  'grainy in gray': effects.grainy(12, true),
  'lit from a side': effects.litFromSide(0.6),
  copied: effects.copied,
  'with moiré': effects.moire(0.2),
  moved: effects.moved(6),
  'scaled down': effects.scaledBy(0.6),
  blurred: effects.blurred(0.8),
};

describe('effects', () => {
  for (const [name, effect] of Object.entries(CASES)) {
    it(`know where a point of a picture is that is ${name}, and repeat with the seed`, async () => {
      const { pixels, map } = await effect(paper(), new Random(3));
      expect(pixels.rgb).to.have.length(3 * pixels.width * pixels.height);
      expect(brightness(pixels, map([X, Y])), 'the square').to.be.below(75);
      const opposite = map([SIZE.width - X, SIZE.height - Y]);
      expect(brightness(pixels, opposite), 'the opposite place').to.be.above(115);
      for (const [x, y] of rectangle(0, 0, SIZE.width, SIZE.height).map(map)) {
        expect(x).to.be.within(-1, pixels.width + 1);
        expect(y).to.be.within(-1, pixels.height + 1);
      }
      const again = await effect(paper(), new Random(3));
      expect(again.pixels.rgb.equals(pixels.rgb)).to.equal(true);
    });
  }
});
