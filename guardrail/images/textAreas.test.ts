import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { toGray, decodeImage, type GrayImage } from './raster.ts';
import { draw, note, PAGES, type Page } from './testing/drawings.ts';
import { SPOTS, texture } from './testing/textures.ts';
import { findTextAreas } from './textAreas.ts';

const grayOf = async (image: Sharp): Promise<GrayImage> =>
  toGray(await decodeImage(await image.flatten({ background: '#fff' }).png().toBuffer()));
/** Adds JPEG artifacts to an image. */
const withArtifacts = async (image: Sharp, quality: number): Promise<Sharp> =>
  sharp(await image.flatten({ background: '#fff' }).jpeg({ quality }).toBuffer());
const TEXT = 'Write to anna.schmidt@example.org';
const textPage = (size: number, more: Partial<Page> & { readonly color?: string } = {}): Page => {
  const { color = '#222', ...page } = more;
  const run = { x: size, y: 1.5 * size, text: TEXT, size, color };
  return { width: 20 * size, height: Math.ceil(2.2 * size), runs: [run], ...page };
};

/** The columns in which two images differ by more than two shades. */
function columnsWithDifferences(a: GrayImage, b: GrayImage): number[] {
  const columns = new Set<number>();
  a.data.forEach((shade, at) => {
    if (Math.abs(shade - (b.data[at] ?? 0)) > 2) columns.add(at % a.width);
  });
  return [...columns];
}

describe('the text areas of an image', () => {
  const TEXTS: Readonly<Record<string, () => Promise<GrayImage>>> = {
    'in small print': () => grayOf(draw(textPage(9))),
    'in screen size': () => grayOf(draw(textPage(15))),
    'in heading size': () => grayOf(draw(textPage(60))),
    'in poster size': () => grayOf(draw(textPage(200))),
    'light on dark': () => grayOf(draw(textPage(14, { background: '#1e1e1e', color: '#d4d4d4' }))),
    'gray on gray': () => grayOf(draw(textPage(14, { background: '#eee', color: '#bbb' }))),
    'in a poor JPEG': async () => grayOf(await withArtifacts(draw(textPage(14)), 25)),
    'gray on gray in a poor JPEG': async () => grayOf(await withArtifacts(draw(textPage(16, { color: '#aaa' })), 40)),
    'out of focus': async () => grayOf(sharp(await draw(textPage(16)).png().toBuffer()).blur(1.5)),
    'on a gradient': () =>
      grayOf(
        draw(
          textPage(16, {
            shapes:
              '<defs><linearGradient id="g"><stop stop-color="#fff"/><stop offset="1" stop-color="#789"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>',
          }),
        ),
      ),
    'rotated by 90 degrees': async () => grayOf(sharp(await draw(textPage(14)).png().toBuffer()).rotate(90)),
  };
  for (const [what, make] of Object.entries(TEXTS)) {
    it(`include text ${what}, which stays sharp`, async () => {
      const image = await make();
      const areas = findTextAreas(image);
      expect(areas.isEmpty).to.equal(false);
      expect(areas.hasTextBetween(0, image.height)).to.equal(true);
      // The blurred image can contain posters at half size, which changes their edges.
      if (what !== 'in poster size') expect(columnsWithDifferences(areas.blurBackground(), image)).to.deep.equal([]);
    });
  }

  for (const spots of Object.keys(SPOTS) as (keyof typeof SPOTS)[]) {
    for (const spotSize of [1, 2, 4]) {
      // Soft spots of two shades resemble letters: shapes of one shade.
      if (spots === 'of black and white' && spotSize > 1) continue;
      it(`exclude spots ${spots}, of ${spotSize} pixels`, async () => {
        const areas = findTextAreas(await grayOf(texture({ width: 640, height: 480, spots, spotSize })));
        expect(areas.isEmpty).to.equal(true);
        expect(areas.hasTextBetween(0, 480)).to.equal(false);
      });
    }
  }

  it('exclude plain areas, areas of low contrast and gradients', async () => {
    const sky =
      '<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#8af"/><stop offset="1" stop-color="#ace"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>';
    for (const page of [
      { width: 300, height: 200, background: '#369', runs: [] },
      textPage(15, { background: '#fff', color: '#f9f9f9' }),
      { width: 300, height: 200, shapes: sky, runs: [] },
    ]) {
      expect(findTextAreas(await grayOf(draw(page))).isEmpty).to.equal(true);
    }
  });

  it('include text on a texture, and blur the texture around it', async () => {
    const label = await draw({ ...note(TEXT), background: '#fff' })
      .png()
      .toBuffer();
    const { width, height } = note(TEXT);
    const image = await grayOf(
      sharp(
        await texture({ width: 1200, height: 900 })
          .composite([{ input: label, left: 600, top: 400 }])
          .png()
          .toBuffer(),
      ),
    );
    const areas = findTextAreas(image);
    const shown = areas.blurBackground();
    const cut = ({ data }: GrayImage, left: number, top: number): Buffer[] =>
      Array.from({ length: height }, (_, y) => data.subarray((top + y) * 1200 + left, (top + y) * 1200 + left + width));
    expect(cut(shown, 600, 400)).to.deep.equal(cut(image, 600, 400));
    const spread = (rows: readonly Buffer[]): number => {
      const shades = Buffer.concat(rows).sort();
      return (shades.at(-1) ?? 0) - (shades[0] ?? 0);
    };
    expect(spread(cut(image, 20, 700))).to.be.greaterThan(200);
    expect(spread(cut(shown, 20, 700))).to.be.below(40);
    expect(areas.hasTextBetween(0, 60)).to.equal(false);
    expect(areas.hasTextBetween(400, 410)).to.equal(true);
  });

  it('distinguish light on dark from dark on light, and small print from large', async () => {
    const described = async (page: Page): Promise<[boolean, boolean]> => {
      const { isLightOnDark, hasSmallPrint } = findTextAreas(await grayOf(draw(page)));
      return [isLightOnDark, hasSmallPrint];
    };
    expect(await described(PAGES['light on dark'])).to.deep.equal([true, true]);
    expect(await described(PAGES['small print'])).to.deep.equal([false, true]);
    expect(await described(textPage(48))).to.deep.equal([false, false]);
  });

  it('are found in images of any size', () => {
    for (const [width, height] of [
      [1, 1],
      [6, 6],
      [7, 300],
      [300, 7],
      [49, 17],
      [97, 33],
    ] as const) {
      const data = Buffer.from(Array.from({ length: width * height }, (_, at) => (at % 7 < 2 ? 0 : 255)));
      const areas = findTextAreas({ width, height, data });
      expect(areas.blurBackground()).to.include({ width, height });
      expect(areas.blurBackground().data).to.have.length(width * height);
    }
  });
});
