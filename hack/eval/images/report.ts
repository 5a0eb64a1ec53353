/** The figures of pictures as tables, and a page to look at each picture. */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alignColumns } from '../textTable.ts';
import type { Polygon } from './geometry.ts';
import type { PictureSet } from './pictures.ts';
import { summed, type EvaluatedPicture, type ImageFigures, type KindFigures } from './evaluation.ts';

/** What the last `npm run eval -- --images --write` measured: on all pictures, and on those of the tests. */
export interface ShippedImages {
  readonly all: ImageFigures;
  readonly sample: readonly KindFigures[];
}

export const shippedImagesFile = new URL('./shipped.json', import.meta.url);
export const readShippedImages = (): ShippedImages =>
  JSON.parse(readFileSync(shippedImagesFile, 'utf8')) as ShippedImages;

const SETS = ['plain', 'hard', 'innocent'] as const;
const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** A row for each kind, after one for each set. */
function rows({ kinds }: ImageFigures): string[][] {
  const row = (name: string, one: KindFigures): string[] => [
    name,
    String(one.pictures),
    one.refused === 0 ? '–' : String(one.refused),
    String(one.values),
    ...(one.values === 0
      ? ['–', '–', '–']
      : [String(one.left), percent(one.left, one.values), String(one.leftByDetector)]),
    percent(one.wordsRead, one.words),
    percent(one.lost, one.others),
    one.set === 'innocent' ? String(one.alteredInnocent) : '–',
  ];
  const ofSet = (set: PictureSet): KindFigures[] => kinds.filter((one) => one.set === set);
  return SETS.flatMap((set) => [
    row(`${set}: all`, summed(ofSet(set), set)),
    ...ofSet(set).map((one) => row(`${set}: ${one.kind}`, one)),
  ]);
}

const HEAD = ['pictures', 'number', 'refused', 'values', 'left', 'share', 'left with the true words', 'words read', 'other words masked', 'innocent pictures masked']; // prettier-ignore
const cost = ({ cpuMsPerPicture, peakMegabytes }: ImageFigures): string =>
  `${(cpuMsPerPicture / 1000).toFixed(2)} s of processor time a picture, detection included; at most ${peakMegabytes} MB in the process that reads.`;

/** For the terminal. */
export const imageTable = (figures: ImageFigures): string =>
  `${alignColumns([['', ...HEAD.slice(1)], ...rows(figures)])}\n${cost(figures)}`;

/** For the model card. */
export const imageSection = (figures: ImageFigures): string =>
  [HEAD, HEAD.map(() => '---'), ...rows(figures)].map((cells) => `| ${cells.join(' | ')} |`).join('\n') +
  `\n\n${cost(figures)}`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const outline = (polygon: Polygon, name: string): string =>
  `<polygon class="${name}" points="${polygon.map((point) => point.map((side) => side.toFixed(1)).join()).join(' ')}"/>`;

/** Writes `index.html` with each picture before and after, outlined: values that are left, and words that are lost. */
export async function writePage(
  folder: string,
  evaluated: readonly EvaluatedPicture[],
  figures: ImageFigures,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const parts: string[] = [];
  for (const { picture, after, score, leftByDetector, cpuMs } of evaluated) {
    const { name, format } = picture.spec;
    const file = (what: string): string => `${name.replace(/[^\p{L}\p{N}]+/gu, '-')}-${what}.${format}`;
    await writeFile(join(folder, file('before')), picture.file);
    if (after) await writeFile(join(folder, file('after')), after);
    const outlines = [
      ...picture.values.flatMap(({ polygons }) => polygons.map((polygon) => outline(polygon, 'value'))),
      ...score.lost.map(({ polygon }) => outline(polygon, 'lost')),
      ...score.left.flatMap(({ polygons }) => polygons.map((polygon) => outline(polygon, 'left'))),
    ];
    const svg = `<svg viewBox="0 0 ${picture.width} ${picture.height}">${outlines.join('')}</svg>`;
    const shown = (what: string): string =>
      `<div><img loading="lazy" src="${encodeURIComponent(file(what))}">${svg}</div>`;
    const left = score.left.map(
      ({ kind, text, share, isRead }) =>
        `${kind} “${escaped(text)}” (${(100 * share).toFixed(0)} % masked, ${isRead ? 'read' : 'not read'})`,
    );
    parts.push(
      `<section class="${score.left.length > 0 || score.isRefused || (picture.values.length === 0 && score.lost.length > 0) ? 'bad' : ''}"><h2>${escaped(name)}</h2>` +
        `<p>${score.left.length} of ${picture.values.length} values left, ${leftByDetector} with the true words; ${score.wordsRead} of ${score.words} words read; ` +
        `${score.lost.length} other words masked; ${(cpuMs / 1000).toFixed(2)} s${score.isRefused ? '; <b>refused</b>' : ''}</p>` +
        `<p>${left.join('<br>')}</p><div class="two">${shown('before')}${after ? shown('after') : ''}</div></section>`,
    );
  }
  await writeFile(
    join(folder, 'index.html'),
    `${PAGE_HEAD}<pre>${escaped(imageTable(figures))}</pre>${parts.join('\n')}`,
  );
}

const PAGE_HEAD = `<!doctype html><meta charset="utf-8"><title>Redacted pictures</title><style>
body{font:14px sans-serif;margin:20px}.two{display:grid;grid-template-columns:1fr 1fr;gap:12px;align-items:start}.two>div{position:relative}
img{width:100%;display:block}svg{position:absolute;inset:0;width:100%}polygon{fill:none;stroke-width:2}.value{stroke:#2a4}.left{stroke:#e11;stroke-width:4}
.lost{stroke:#e90}.only section:not(.bad){display:none}</style>
<label><input type="checkbox" onchange="document.body.classList.toggle('only')"> only pictures with something left or lost</label>
<p>Green: values. Red: values that are left. Orange: other words that are masked.</p>`;
