import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { startHarness, type Harness } from '../appHarness.ts';
import { createAnalyzer, createBuiltinDetector } from '../detection/detection.ts';
import type { Format } from './contract.ts';
import { dataUrlOf } from './dataUrl.ts';
import { draw, PAGES, textOf, type Page } from './testing/pictures.ts';
import { startSecondLook, type SecondLook } from './testing/secondLook.ts';

/** Reading a picture takes a second of a processor, and the machine may be busy. */
const TIMEOUT_MS = 120_000;

const analyzer = createAnalyzer({ detectors: [createBuiltinDetector({})] });

/** What the detector finds in the true text, as the words of each value. */
async function valuesOf(page: Page): Promise<string[][]> {
  const text = textOf(page);
  const [findings = []] = await analyzer.analyze([text], { team: undefined, signal: AbortSignal.timeout(10_000) });
  return findings.map(({ start, end }) => wordsOf(text.slice(start, end)));
}

/** Words as far as reading them again can tell: letters and digits, at least three. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => {
    const plain = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    return plain.length >= 3 ? [plain] : [];
  });
}

async function fileOf(image: Sharp, format: Format): Promise<Buffer> {
  return image.flatten({ background: '#fff' }).toFormat(format, { quality: 90 }).toBuffer();
}

function bytesOf(dataUrl: unknown): Buffer {
  return Buffer.from(String(dataUrl).split(',')[1] ?? '', 'base64');
}

const caller = { user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' };

describe('image redaction', function () {
  this.timeout(TIMEOUT_MS);
  let harness: Harness;
  let stranger: SecondLook;
  before(async () => {
    harness = await startHarness();
    stranger = await startSecondLook();
  });
  after(async () => {
    await stranger.close();
    await harness.stop();
  });

  async function redacted(file: Buffer, format: Format): Promise<Buffer> {
    const { status, body } = await harness.guard({
      input_type: 'request',
      texts: ['What is this?'],
      images: [dataUrlOf(format, file)],
      request_data: caller,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    const answer = body as { action: string; texts: string[]; images: string[] };
    expect(answer.action).to.equal('GUARDRAIL_INTERVENED');
    expect(answer.texts).to.deep.equal(['What is this?']);
    expect(answer.images).to.have.length(1);
    expect(answer.images[0]).to.match(new RegExp(`^data:image/${format};base64,`));
    return bytesOf(answer.images[0]);
  }

  const CASES: readonly (readonly [name: keyof typeof PAGES, format: Format, orientation?: number])[] = [
    ['an e-mail', 'png'],
    ['a form', 'jpeg'],
    ['a table', 'webp'],
    ['light on dark', 'png'],
    ['small print', 'png'],
    ['an e-mail', 'jpeg', 6],
  ];
  for (const [name, format, orientation] of CASES) {
    it(`${name}, ${format}${orientation ? `, turned by EXIF ${orientation}` : ''}: what was found cannot be read, the rest can`, async () => {
      const page: Page = PAGES[name];
      const upright = await fileOf(draw(page), format);
      // Stored lying on its side, with the note that a viewer shall turn it by 90 degrees.
      const file = orientation
        ? await sharp(upright).rotate(-90).withMetadata({ orientation }).toFormat(format, { quality: 90 }).toBuffer()
        : upright;
      const result = await redacted(file, format);
      const metadata = await sharp(result).metadata();
      expect(metadata).to.include({ format, width: page.width, height: page.height });
      expect([metadata.exif, metadata.icc, metadata.xmp, metadata.orientation]).to.deep.equal(Array(4).fill(undefined));

      const after = await stranger.read(result);
      const values = await valuesOf(page);
      const hidden = new Set(values.flat());
      expect(values.length).to.be.greaterThan(4);
      const seen = [...hidden].filter((word) => after.includes(word));
      expect(seen, `still readable: ${after}`).to.deep.equal([]);
      const others = [...new Set(wordsOf(textOf(page)))].filter(
        (word) => ![...hidden].some((part) => part.includes(word) || word.includes(part)),
      );
      const lost = others.filter((word) => !after.includes(word));
      expect(lost.length, `lost: ${lost.join(' ')}`).to.be.at.most(0.05 * others.length);
    });
  }
});
