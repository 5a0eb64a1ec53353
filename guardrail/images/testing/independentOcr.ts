/** For tests: reads images independently of the service, with other settings. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createWorker, OEM, PSM } from 'tesseract.js';

export interface IndependentOcr {
  /** Returns all text of an image file, at several sizes, as positive and negative. */
  read(file: Uint8Array): Promise<string>;
  close(): Promise<void>;
}

/** The passes: scale, negative, and page or sparse text. */
const WAYS = [
  { scale: 2, negative: false, mode: PSM.AUTO },
  { scale: 3, negative: true, mode: PSM.SPARSE_TEXT },
] as const;

export async function startIndependentOcr(): Promise<IndependentOcr> {
  const langPath = join(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))), '4.0.0_best_int');
  const engine = await createWorker('eng', OEM.LSTM_ONLY, { langPath, cacheMethod: 'none' });
  return {
    async read(file) {
      const texts: string[] = [];
      const { width, height } = await sharp(file).metadata();
      for (const { scale, negative, mode } of WAYS) {
        const image = sharp(file)
          .flatten({ background: '#fff' })
          .resize({ width: width * scale, height: height * scale, fit: 'fill', kernel: 'lanczos3' })
          .negate(negative);
        await engine.setParameters({ tessedit_pageseg_mode: mode, user_defined_dpi: '200' });
        const { data } = await engine.recognize(await image.png({ compressionLevel: 1 }).toBuffer());
        texts.push(data.text);
      }
      return texts.join('\n');
    },
    close: async () => {
      await engine.terminate();
    },
  };
}
