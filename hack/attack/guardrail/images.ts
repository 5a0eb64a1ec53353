/** Images that take OCR a long time, and invalid images. */
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { pngOf, pngWith } from '../../../guardrail/images/testing/files.ts';
import { basic } from './client.ts';
import { dataUrl, denseImages, imageDataUrl } from './attackImages.ts';
import type { GuardrailAttack, Target } from './attack.ts';
import { answered } from './texts.ts';

/** The limit of OCR of one image, in milliseconds of processor time. */
const BUDGET_MS = 5_000;
/** What the guardrail may use until another tenant's ordinary image is read, while five dense ones wait: less than they take. */
const WITH_DENSE_MS = 4 * BUDGET_MS;
/** The same after dense images were abandoned: less than one of them takes. */
const AFTER_ABANDONED_MS = BUDGET_MS;
/** The images that OCR reads at the same time, by default. */
const OCR_THREADS = 1;

const bodyOf = (...images: readonly string[]): object => basic('request', { texts: [], images });

/** Sends an ordinary image as another tenant. */
async function sendOtherImage(target: Target, maxMs: number): Promise<void> {
  const before = target.processorMs();
  const { status } = await target.send({ key: target.keys.other, body: bodyOf(await imageDataUrl()) });
  const took = target.processorMs() - before;
  if (status !== 200) target.fault(`the image of another tenant was answered with status ${status}`);
  else if (took > maxMs)
    target.fault(`the image of another tenant took ${(took / 1000).toFixed(1)} s of processor time`);
}

const attacks: readonly GuardrailAttack[] = [
  {
    name: 'dense-images',
    store: 'memory',
    run: async (target) => {
      const over = new AbortController();
      let read = 0;
      const flood = (await denseImages(5)).map(async (one) => {
        const answer = await target.send({ key: target.keys.attacker, body: bodyOf(one), signal: over.signal });
        if (answer.status === 200) read += 1;
        return answer;
      });
      await delay(300);
      await sendOtherImage(target, WITH_DENSE_MS);
      // The image of another tenant may wait for the images in OCR, but for no other.
      if (read > OCR_THREADS) target.fault(`${read} images of the attacker were read before the one of another tenant`);
      over.abort();
      const answers = (await Promise.all(flood)).filter(({ text }) => text !== 'AbortError');
      answered(target, 'a dense image', answers);
    },
  },
  {
    name: 'abandoned-images',
    store: 'memory',
    run: async (target) => {
      for (const one of await denseImages(5)) {
        const abandoned = new AbortController();
        const sent = target.send({ key: target.keys.attacker, body: bodyOf(one), signal: abandoned.signal });
        await delay(150);
        abandoned.abort();
        await sent;
      }
      await sendOtherImage(target, AFTER_ABANDONED_MS);
    },
  },
  {
    name: 'image-bombs',
    store: 'memory',
    run: async (target) => {
      const { random, keys } = target;
      const ordinary = Buffer.from((await imageDataUrl()).split(',')[1] ?? '', 'base64');
      const flipped = Buffer.from(ordinary);
      for (let n = 0; n < 20; n += 1) flipped[random.int(flipped.length)] = random.int(256);
      const bombs = [
        pngOf(60_000, 60_000),
        pngOf(0, 0),
        pngWith({ width: 30_000, height: 30_000, pixels: randomBytes(1_000) }),
        ordinary.subarray(0, ordinary.length / 2),
        flipped,
        randomBytes(100_000),
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
        Buffer.alloc(0),
      ].map((file) => dataUrl(file));
      const odd = [
        'data:',
        'data:image/png',
        'data:image/png;base64,%%%%',
        'file:///etc/passwd',
        'http://127.0.0.1:1/a.png',
        '',
      ];
      for (const image of [...bombs, ...odd]) {
        answered(target, 'an invalid image', [await target.send({ key: keys.attacker, body: bodyOf(image) })]);
      }
      const many = Array.from({ length: 1_000 }, () => dataUrl(pngOf(1, 1)));
      answered(target, '1,000 images', [await target.send({ key: keys.attacker, body: bodyOf(...many) })]);
    },
  },
];

export const imageAttacks = [...attacks];
