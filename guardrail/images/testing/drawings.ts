/** For tests: draws images of text from the outlines of a bundled font. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import opentype, { type Font } from 'opentype.js';
import sharp, { type Sharp } from 'sharp';

type Face = 'regular' | 'bold' | 'mono';

/** A line of text. `x` and `y` are the start of its baseline. */
export interface Run {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** The font size in pixels. */
  readonly size?: number;
  readonly color?: string;
  readonly face?: Face;
}

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly background?: string;
  /** SVG between the background and the text. */
  readonly shapes?: string;
  readonly runs: readonly Run[];
}

const FILES: Readonly<Record<Face, string>> = {
  regular: '@fontsource/open-sans/files/open-sans-latin-400-normal.woff',
  bold: '@fontsource/open-sans/files/open-sans-latin-700-normal.woff',
  mono: '@fontsource/roboto-mono/files/roboto-mono-latin-400-normal.woff',
};
const fonts = new Map<Face, Font>();

function fontOf(face: Face): Font {
  const loaded = fonts.get(face);
  if (loaded) return loaded;
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(FILES[face])));
  const font = opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  fonts.set(face, font);
  return font;
}

export function draw({ width, height, background = '#fff', shapes = '', runs }: Page): Sharp {
  const paths = runs.map(({ x, y, text, size = 15, color = '#222', face = 'regular' }) => {
    const outline = fontOf(face).getPath(text, x, y, size).toPathData(2);
    return `<path fill="${color}" d="${outline}"/>`;
  });
  const ground = background === 'none' ? '' : `<rect width="100%" height="100%" fill="${background}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${shapes}${paths.join('')}</svg>`;
  // The service blocks this format in the whole process.
  sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
  return sharp(Buffer.from(svg));
}

/** The source text of a page. Runs at the same height form a line, separated by tabs. */
export function textOf({ runs }: Page): string {
  const lines = Map.groupBy(runs, ({ y }) => y);
  return [...lines.values()].map((line) => line.map(({ text }) => text).join('\t')).join('\n');
}

function lines(x: number, y: number, step: number, texts: readonly string[], more: Partial<Run> = {}): Run[] {
  return texts.map((text, at) => ({ x, y: y + at * step, text, ...more }));
}

const LABELS = ['Full name', 'E-mail address', 'Phone number', 'IBAN', 'Date of birth', 'Preferred contact'];
const ENTRIES = [
  'Maria Gonzalez',
  'maria.gonzalez@example.net',
  '+1 212 555 0147',
  'GB29 NWBK 6016 1331 9268 19',
  'Born on 12 March 1984',
  'By letter in the morning',
];
const TABLE = [
  ['Contact', 'E-mail', 'Phone', 'Amount', 'Remark'],
  ['James Wilson', 'james.wilson@example.com', '+44 20 7946 0018', '129.90', 'is paid by card'],
  ['Laura Bianchi', 'laura.bianchi@example.it', '+39 06 6982 0012', '89.00', 'has to be sent again'],
  ['Peter Novak', 'peter.novak@example.cz', '+1 415 555 0132', '249.50', 'waits for the printer'],
  ['Emily Johnson', 'emily.johnson@example.org', '+1 202 555 0188', '19.95', 'was shipped on time'],
  ['Thomas Brown', 'thomas.brown@example.com', '+44 20 7946 0721', '310.00', 'is open and overdue'],
];
const COLUMNS = [32, 180, 430, 610, 730];

/** Typical screenshots and scans. */
export const PAGES = {
  'an e-mail': {
    width: 900,
    height: 500,
    shapes: '<rect width="900" height="48" fill="#2b579a"/><rect y="150" x="24" width="852" height="1" fill="#ddd"/>',
    runs: [
      { x: 24, y: 31, text: 'Reminder from Anna Schmidt', size: 17, color: '#fff', face: 'bold' },
      { x: 24, y: 84, text: 'From:', color: '#777' },
      { x: 90, y: 84, text: 'Anna Schmidt <anna.schmidt@example.org>' },
      { x: 24, y: 108, text: 'To:', color: '#777' },
      { x: 90, y: 108, text: 'Robert Miller <robert.miller@example.com>' },
      ...lines(24, 190, 26, [
        'Dear Robert,',
        'thank you for the quick answer about the delivery of the printers.',
        'Please transfer the open amount to DE89 3704 0044 0532 0130 00 by Friday.',
        'If anything is unclear, call me on +49 30 901820 or write to',
        'anna.schmidt@example.org. My card 4111 1111 1111 1111 was charged twice,',
        'which the bank will correct during the next week.',
        'The meeting about the new warehouse takes place in room seven.',
        'Kind regards',
        'Anna Schmidt',
      ]),
    ],
  },
  'a form': {
    width: 800,
    height: 560,
    background: '#f4f6f8',
    shapes: LABELS.map(
      (_, at) => `<rect x="260" y="${80 + at * 70}" width="480" height="40" rx="5" fill="#fff" stroke="#b8c0c8"/>`,
    ).join(''),
    runs: [
      { x: 40, y: 45, text: 'Customer registration', size: 22, face: 'bold' },
      ...LABELS.map((text, at) => ({ x: 40, y: 106 + at * 70, text, color: '#555' })),
      ...ENTRIES.map((text, at) => ({ x: 274, y: 106 + at * 70, text, size: 16 })),
      { x: 40, y: 530, text: 'I have read the terms and agree to the processing of this form.', size: 13 },
    ],
  },
  'a table': {
    width: 1000,
    height: 360,
    shapes: TABLE.map((_, at) => `<rect x="20" y="${60 + at * 48}" width="960" height="1" fill="#ccc"/>`).join(''),
    runs: [
      { x: 20, y: 40, text: 'Open parcels of this week', size: 20, face: 'bold' },
      ...TABLE.flatMap((row, at) =>
        row.map((text, column): Run => ({
          x: COLUMNS[column] ?? 0,
          y: 91 + at * 48,
          text,
          face: at === 0 ? 'bold' : 'regular',
        })),
      ),
    ],
  },
  'light on dark': {
    width: 700,
    height: 330,
    background: '#1e1e1e',
    runs: lines(
      24,
      50,
      32,
      [
        'name: Anna Schmidt',
        'mail: anna.schmidt@example.org',
        'phone: +49 30 901820',
        'card: 4111 1111 1111 1111',
        'note: prefers a call in the evening',
        'iban: DE89370400440532013000',
        'server: 192.168.17.25 restarted twice',
        'The log ends here without an error.',
      ],
      { color: '#d4d4d4', face: 'mono', size: 16 },
    ),
  },
  'small print': {
    width: 640,
    height: 150,
    runs: lines(
      16,
      24,
      17,
      [
        'The contract partner is Anna Schmidt, reachable under anna.schmidt@example.org or',
        'by phone +49 30 901820 during office hours. Payments go to the account',
        'DE89 3704 0044 0532 0130 00 within fourteen days after the delivery of the goods.',
        'Complaints have to be sent in writing to Robert Miller, robert.miller@example.com.',
        'Credit card 4111 1111 1111 1111 serves as security until the final payment.',
        'All other agreements need the written form to be valid between both parties.',
        'The place of jurisdiction is the seat of the company as far as the law allows it.',
      ],
      { size: 10.5, color: '#333' },
    ),
  },
} as const satisfies Record<string, Page>;

/** One line of text, for tests that do not depend on the layout. */
export function note(text: string, more: Partial<Page> = {}): Page {
  return { width: 60 + 11 * text.length, height: 60, runs: [{ x: 20, y: 38, text, size: 18 }], ...more };
}
