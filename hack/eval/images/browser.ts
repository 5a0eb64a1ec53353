/** Renders pages in Chromium, with the place of each word and of each marked value. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { cacheFolder, filesOf } from '../../corpora/download.ts';
import type { PinnedPackage } from '../../corpora/packages.ts';
import { rectangle, type Polygon } from './geometry.ts';
import type { Layout } from './layouts.ts';
import type { Pixels } from './effects.ts';
import type { ValueKind } from './people.ts';

/** A word between spaces. */
export interface TrueWord {
  readonly text: string;
  readonly polygon: Polygon;
  /** It is a part of a value, or touches one. */
  readonly isValue: boolean;
}

/** A personal value. */
export interface TrueValue {
  readonly kind: ValueKind;
  readonly text: string;
  /** The ink in each line. */
  readonly polygons: readonly Polygon[];
  /** The place in the text of the page, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** What a page says, and where. */
export interface TruePage {
  /** As a perfect reader gives it: a line for each block, tabs between cells, a label beside its value. */
  readonly text: string;
  readonly words: readonly TrueWord[];
  readonly values: readonly TrueValue[];
}

export interface Rendered extends TruePage {
  readonly pixels: Pixels;
}

export interface PageBrowser {
  /** @param scale pixels of the picture for each CSS pixel */
  render(layout: Layout, scale: number): Promise<Rendered>;
  close(): Promise<void>;
}

const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
];
const ORIGIN = 'http://pictures.invalid';

const font = (name: string, version: string, sha256: string): PinnedPackage => ({
  client: 'npm',
  name: `@fontsource-variable/${name}`,
  version,
  file: `fontsource-variable-${name}-${version}.tgz`,
  sha256,
});
/** Fonts that no test of the programs needs (OFL-1.1). */
const FONTS: Readonly<Record<string, PinnedPackage>> = {
  inter: font('inter', '5.3.0', 'd26710dd38e7217484a1d47ee76c024977ec550548876f26d06ed1844af09a14'),
  lora: font('lora', '5.3.0', '754d8a7eefcf9fd6b11d2fee82377a0c92f82c29d5837c08dda57122d9abf5de'),
  kr: font('noto-sans-kr', '5.3.1', '9bbb1134818e567b21024f0bf842b53a9419de67608febbf18b23072385c8bfa'),
  sc: font('noto-sans-sc', '5.3.1', '95a11c5bbacd9995d94fc8cf964ee687307aacf20957ca6a4a16077519388163'),
  jp: font('noto-sans-jp', '5.3.1', '0a8f7d31c6c091e31977c801313b18e692312c37d9fe9a6d779b876e8046dbfc'),
};
/** Fonts with thousands of letters, whose style sheets are large: a page has only those that it uses. */
const LARGE = ['kr', 'sc', 'jp'];
const SHEETS = ['sans/400.css', 'sans/600.css', 'mono/400.css', 'inter/index.css', 'lora/index.css'];

/**
 * Starts Chromium, and downloads the fonts once (16 MB).
 * @throws Error if there is no Chromium, or a font cannot be downloaded
 */
export async function startPageBrowser(): Promise<PageBrowser> {
  if (!existsSync(BROWSER))
    throw new Error(
      `${BROWSER} does not exist: install the package chromium, or set CHROMIUM to the path of a Chromium.`,
    );
  const folders = await fontFolders();
  const browser = await chromium.launch({ executablePath: BROWSER, args: ARGS });
  const contexts = new Map<number, Promise<BrowserContext>>();
  const contextOf = (scale: number): Promise<BrowserContext> => {
    const context = contexts.get(scale) ?? openContext(browser, scale, folders);
    contexts.set(scale, context);
    return context;
  };
  return {
    render: async (layout, scale) => {
      const page = await (await contextOf(scale)).newPage();
      try {
        await page.setViewportSize({ width: layout.width, height: 200 });
        await page.goto(`${ORIGIN}/`);
        await page.setContent(documentOf(layout), { waitUntil: 'load' });
        await page.evaluate('document.fonts.ready');
        const found = await page.evaluate<FoundPage>(IN_PAGE);
        const png = await page.locator('main').screenshot({ type: 'png' });
        return await renderedOf(png, found, scale);
      } finally {
        await page.close();
      }
    },
    close: () => browser.close(),
  };
}

/** Pages of this context load fonts from folders, and nothing from elsewhere. */
async function openContext(
  browser: Browser,
  deviceScaleFactor: number,
  folders: ReadonlyMap<string, string>,
): Promise<BrowserContext> {
  const context = await browser.newContext({ deviceScaleFactor, locale: 'en-US' });
  await context.route('**', (route) => {
    const [, name = '', file = ''] = /^\/([a-z]+)\/(.+)$/.exec(new URL(route.request().url()).pathname) ?? [];
    const folder = folders.get(name);
    return folder === undefined
      ? route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
      : route.fulfill({ path: join(folder, file) });
  });
  return context;
}

function documentOf({ html }: Layout): string {
  const used = LARGE.filter((name) => html.includes(`Noto Sans ${name.toUpperCase()}`));
  const sheets = [...SHEETS, ...used.map((name) => `${name}/index.css`)];
  const links = sheets.map((sheet) => `<link rel="stylesheet" href="${ORIGIN}/${sheet}">`);
  return `<!doctype html><meta charset="utf-8">${links.join('')}${html}`;
}

async function fontFolders(): Promise<ReadonlyMap<string, string>> {
  const installed = (name: string): string =>
    dirname(fileURLToPath(import.meta.resolve(`@fontsource/${name}/400.css`)));
  const folders = new Map([
    ['sans', installed('open-sans')],
    ['mono', installed('roboto-mono')],
  ]);
  for (const [name, pinned] of Object.entries(FONTS))
    folders.set(name, join(await filesOf(pinned, cacheFolder()), 'package'));
  return folders;
}

type FoundBox = readonly [left: number, top: number, width: number, height: number];

interface FoundPage {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly box: FoundBox; readonly isValue: boolean }[];
  readonly values: readonly {
    readonly kind: ValueKind;
    readonly text: string;
    readonly boxes: readonly FoundBox[];
    readonly start: number;
    readonly end: number;
  }[];
}

async function renderedOf(png: Buffer, { text, words, values }: FoundPage, scale: number): Promise<Rendered> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const polygonOf = (box: FoundBox): Polygon => {
    const [left, top, width, height] = box.map((side) => side * scale) as unknown as FoundBox;
    return rectangle(left, top, width, height);
  };
  return {
    pixels: { width: info.width, height: info.height, rgb: data },
    text,
    words: words.map(({ box, ...word }) => ({ ...word, polygon: polygonOf(box) })),
    values: values.map(({ boxes, ...value }) => ({ ...value, polygons: boxes.map(polygonOf) })),
  };
}

/** Runs in the page. The height of a box is that of the ink: the box of a line is much higher, and no mask would fill it. */
const IN_PAGE = readFileSync(new URL('./inPage.js', import.meta.url), 'utf8');
