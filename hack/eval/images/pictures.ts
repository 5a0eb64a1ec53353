/** The list of pictures, and how each is made. The same seed makes the same pictures, as far as the browser draws the same. */
import sharp from 'sharp';
import { Random } from '../../training/random.ts';
import type { PageBrowser, TruePage } from './browser.ts';
import * as effects from './effects.ts';
import type { Effect, Pixels } from './effects.ts';
import type { Projection } from './geometry.ts';
import { innocentPages } from './innocentPages.ts';
import type { Layout } from './layouts.ts';
import type { Country } from './people.ts';
import { personalPages } from './personalPages.ts';

export type PictureSet = 'plain' | 'hard' | 'innocent';

/** How to make a picture. */
export interface PictureSpec {
  readonly set: PictureSet;
  readonly kind: string;
  /** Names the picture: its set, its kind and a number. */
  readonly name: string;
  readonly seed: number;
  readonly layout: (random: Random) => Layout;
  /** Pixels for each CSS pixel. */
  readonly scale: number;
  readonly effects: readonly Effect[];
  readonly format: 'png' | 'jpeg';
}

/** A picture with all that it shows. */
export interface Picture extends TruePage {
  readonly spec: PictureSpec;
  readonly file: Buffer;
  readonly width: number;
  readonly height: number;
}

type PersonalPage = keyof typeof personalPages;
type InnocentPage = keyof typeof innocentPages;
type Look = Pick<PictureSpec, 'scale' | 'effects' | 'format'>;

const LATIN: readonly Country[] = ['us', 'de', 'gb', 'fr', 'es', 'it', 'nl', 'pl', 'se', 'br'];
const screen = (scale: number): Look => ({ scale, effects: [], format: 'png' });
const camera = (scale: number, ...list: readonly Effect[]): Look => ({ scale, effects: list, format: 'jpeg' });

// prettier-ignore
const LOOKS = {
  screens: [screen(1), screen(2), screen(1.5)],
  phones: [screen(2), screen(2), screen(1.5)],
  scans: [camera(1.5, effects.tilted(0.9), effects.copied, effects.grainy(16, true)), camera(1.5, effects.tilted(-1.4), effects.blurred(0.7), effects.grainy(22, true)), camera(1.25, effects.tilted(0.4), effects.copied, effects.grainy(12, true))],
  photographs: [camera(1.5, effects.photographed('desk'), effects.litFromSide(0.55), effects.grainy(6)), camera(1.5, effects.photographed('desk', 0.04), effects.litFromSide(0.7), effects.blurred(0.6), effects.grainy(5))],
  'tilt 8°': [camera(1.25, effects.tilted(8)), camera(1.25, effects.tilted(-8, [90, 90, 94]))],
  'tilt 20°': [camera(1.25, effects.tilted(20)), camera(1.25, effects.tilted(-20, [90, 90, 94]))],
  'turned 90°': [camera(1.25, effects.quarterTurned(90)), camera(1.25, effects.quarterTurned(270))],
  'turned 180°': [camera(1.25, effects.quarterTurned(180))],
  'photograph of a screen': [camera(1.5, effects.photographed('dark', 0.05), effects.moire(0.16), effects.blurred(0.6), effects.grainy(5)), camera(1.5, effects.photographed('dark', 0.03), effects.moire(0.22), effects.litFromSide(0.8), effects.grainy(6))],
  'motion blur': [camera(1.5, effects.moved(5), effects.grainy(4)), camera(1.5, effects.moved(6.5), effects.grainy(4))],
  'low resolution': [camera(1, effects.scaledBy(0.72)), camera(1, effects.scaledBy(0.65))],
} as const satisfies Record<string, readonly Look[]>;

/** A kind of picture with its pages, its countries and its looks, which take turns. */
const personal = (set: PictureSet, kind: string, count: number, pages: readonly PersonalPage[], looks: readonly Look[], countries: readonly Country[] = LATIN): PictureSpec[] =>
  specs(set, kind, count, looks, (at) => (random) => personalPages[turn(pages, at)](turn(countries, at + offsetOf(kind)), random)); // prettier-ignore

const innocent = (kind: string, count: number, pages: readonly InnocentPage[], looks: readonly Look[]): PictureSpec[] =>
  specs('innocent', kind, count, looks, (at) => (random) => innocentPages[turn(pages, at)]((at % pages.length) + Math.floor(at / pages.length), random)); // prettier-ignore

function specs(
  set: PictureSet,
  kind: string,
  count: number,
  looks: readonly Look[],
  layoutAt: (at: number) => PictureSpec['layout'],
): PictureSpec[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${set} ${kind} ${at + 1}`;
    return { set, kind, name, seed: offsetOf(name), layout: layoutAt(at), ...turn(looks, at) };
  });
}

const turn = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;

/** A number that depends on a name alone, so that a new kind changes no other. */
const offsetOf = (name: string): number =>
  Array.from(name).reduce((sum, sign) => (Math.imul(sum, 31) + (sign.codePointAt(0) ?? 0)) >>> 0, 7);

const HARD_PAGES: readonly PersonalPage[] = [
  'mail light',
  'letter',
  'table light',
  'form beside',
  'chat light',
  'form above light',
];

/** All pictures. The first ones of each kind are the sample of the tests. */
// prettier-ignore
export const pictureSpecs: readonly PictureSpec[] = [
  ...personal('plain', 'chat', 8, ['chat light', 'chat dark'], LOOKS.phones),
  ...personal('plain', 'chat, white on green', 6, ['chat green'], LOOKS.phones),
  ...personal('plain', 'mail', 9, ['mail light', 'mail dark'], LOOKS.screens),
  ...personal('plain', 'form, label above', 8, ['form above light', 'form above dark'], LOOKS.screens),
  ...personal('plain', 'form, label beside', 6, ['form beside', 'form beside dark'], LOOKS.screens),
  ...personal('plain', 'table', 6, ['table light', 'table dark'], LOOKS.screens),
  ...personal('plain', 'terminal', 5, ['terminal'], LOOKS.screens),
  ...personal('plain', 'scanned letter', 7, ['letter'], LOOKS.scans),
  ...personal('plain', 'photographed paper', 6, ['letter', 'form above light'], LOOKS.photographs),
  ...personal('plain', 'badge', 5, ['badge'], [...LOOKS.phones.slice(0, 1), ...LOOKS.photographs]),
  ...personal('plain', 'receipt', 5, ['receipt'], [...LOOKS.phones.slice(0, 1), ...LOOKS.photographs]),
  ...personal('plain', 'Cyrillic', 4, ['chat light', 'letter', 'form beside', 'mail light'], LOOKS.screens, ['ru', 'ua']),
  ...personal('plain', 'Korean', 3, ['chat light', 'form above light', 'letter'], LOOKS.phones, ['kr']),
  ...personal('plain', 'Chinese', 3, ['chat light', 'form above light', 'letter'], LOOKS.phones, ['cn']),
  ...personal('plain', 'Japanese', 3, ['chat light', 'form above light', 'letter'], LOOKS.phones, ['jp']),
  ...personal('hard', 'tilt 8°', 6, HARD_PAGES, LOOKS['tilt 8°']),
  ...personal('hard', 'tilt 20°', 6, HARD_PAGES, LOOKS['tilt 20°']),
  ...personal('hard', 'turned 90°', 5, HARD_PAGES, LOOKS['turned 90°']),
  ...personal('hard', 'turned 180°', 5, HARD_PAGES, LOOKS['turned 180°']),
  ...personal('hard', 'photograph of a screen', 6, HARD_PAGES, LOOKS['photograph of a screen']),
  ...personal('hard', 'motion blur', 5, HARD_PAGES, LOOKS['motion blur']),
  ...personal('hard', 'low resolution', 4, HARD_PAGES, LOOKS['low resolution']),
  ...innocent('screenshot', 20, ['chat light', 'mail light', 'form above', 'table light', 'terminal', 'chat green', 'mail dark', 'form beside', 'table dark'], LOOKS.screens),
  ...innocent('paper', 10, ['letter', 'receipt', 'sign'], [...LOOKS.scans, ...LOOKS.photographs]),
  ...innocent('other script', 8, ['foreign'], LOOKS.phones),
  ...innocent('hard', 10, ['mail light', 'letter', 'table light', 'form beside', 'chat light'], [...LOOKS['tilt 8°'], ...LOOKS['turned 90°'], ...LOOKS['photograph of a screen'], ...LOOKS['motion blur'], ...LOOKS['tilt 20°'].slice(1), ...LOOKS['low resolution']]),
];

/** Makes a picture. */
export async function pictureOf(spec: PictureSpec, browser: PageBrowser): Promise<Picture> {
  const random = new Random(spec.seed);
  const { pixels: drawn, words, values, text } = await browser.render(spec.layout(random), spec.scale);
  let pixels: Pixels = drawn;
  const maps: Projection[] = [];
  for (const effect of spec.effects) {
    const affected = await effect(pixels, random);
    pixels = affected.pixels;
    maps.push(affected.map);
  }
  const place: Projection = (point) => maps.reduce((at, map) => map(at), point);
  const { width, height, rgb } = pixels;
  const image = sharp(rgb, { raw: { width, height, channels: 3 } });
  const file = await (spec.format === 'png' ? image.png() : image.jpeg({ quality: 85 })).toBuffer();
  return {
    spec,
    file,
    width,
    height,
    text,
    words: words.map((word) => ({ ...word, polygon: word.polygon.map(place) })),
    values: values.map((value) => ({ ...value, polygons: value.polygons.map((polygon) => polygon.map(place)) })),
  };
}
