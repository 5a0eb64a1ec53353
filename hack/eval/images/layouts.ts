/** Pages as programs and paper show them. Each returns HTML; the texts come from the caller. */

export type Theme = 'light' | 'dark';
export type Face = 'sans' | 'serif' | 'mono' | 'inter' | 'kr' | 'cn' | 'jp';

export interface Layout {
  readonly html: string;
  /** In CSS pixels. */
  readonly width: number;
}

const FACES: Readonly<Record<Face, string>> = {
  sans: "'Open Sans'",
  serif: "'Lora Variable'",
  mono: "'Roboto Mono'",
  inter: "'Inter Variable'",
  kr: "'Noto Sans KR Variable'",
  cn: "'Noto Sans SC Variable'",
  jp: "'Noto Sans JP Variable'",
};
const COLORS: Readonly<Record<Theme, string>> = {
  light: '--ground:#fff;--side:#f3f4f6;--ink:#1f2328;--soft:#5f6b76;--line:#d9dee3;--accent:#2563c9',
  dark: '--ground:#14171c;--side:#1d2229;--ink:#e4e7eb;--soft:#9aa5b1;--line:#323a44;--accent:#6ea8fe',
};

const page = (theme: Theme, face: Face, css: string, body: string): string =>
  `<style>:root{${COLORS[theme]}}*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);` +
  `font:15px/1.45 ${FACES[face]},'Open Sans',sans-serif}p{margin:0}h1,h2{margin:0;font-weight:600}${css}</style><main>${body}</main>`;

const each = <T>(list: readonly T[], html: (item: T, at: number) => string): string => list.map(html).join('');

const BUBBLES = {
  light: '--mine:#2f6fed;--mineInk:#fff;--other:#e9e9ee;--otherInk:#16181c;--ground:#fff',
  green: '--mine:#1fa855;--mineInk:#fff;--other:#ffffff;--otherInk:#111;--ground:#e9e2d8',
  dark: '--mine:#0b6b57;--mineInk:#e9f2ef;--other:#222c33;--otherInk:#e6e9ec;--ground:#0d141a',
} as const;
export type Bubbles = keyof typeof BUBBLES;

/** A chat on a phone: every second message is one's own, unless `mine` says otherwise. */
export function chat(title: string, lines: readonly string[], bubbles: Bubbles, face: Face = 'inter'): Layout {
  const css =
    `:root{${BUBBLES[bubbles]}}main{padding:0 14px 16px}h1{font-size:17px;padding:12px 2px;text-align:center}` +
    '.m{max-width:78%;padding:8px 12px;border-radius:16px;margin:5px 0;width:fit-content;background:var(--other);color:var(--otherInk)}' +
    '.own{margin-left:auto;background:var(--mine);color:var(--mineInk)}time{font-size:10.5px;opacity:.7;margin-left:8px}';
  const body = each(
    lines,
    (line, at) =>
      `<p class="m${at % 2 ? ' own' : ''}">${line} <time>${9 + (at >> 2)}:${10 + ((at * 7) % 49)}</time></p>`,
  );
  return { html: page(bubbles === 'dark' ? 'dark' : 'light', face, css, `<h1>${title}</h1>${body}`), width: 420 };
}

export interface Mail {
  readonly subject: string;
  /** Sender and recipient, each with name and address. */
  readonly from: string;
  readonly to: string;
  readonly paragraphs: readonly string[];
  readonly signature: readonly string[];
}

/** A mail program with folders at the left. */
export function mail({ subject, from, to, paragraphs, signature }: Mail, theme: Theme, face: Face = 'sans'): Layout {
  const css =
    'main{display:flex}nav{width:170px;background:var(--side);padding:18px 14px;color:var(--soft);min-height:420px}nav p{padding:5px 0}' +
    'article{flex:1;padding:20px 26px}h1{font-size:21px;margin-bottom:10px}.head{border-bottom:1px solid var(--line);padding-bottom:10px;' +
    'margin-bottom:14px;font-size:13.5px;color:var(--soft)}article>p{margin:0 0 11px}';
  const folders = ['Inbox', 'Starred', 'Drafts', 'Sent', 'Archive', 'Spam'];
  return {
    html: page(
      theme,
      face,
      css,
      `<nav>${each(folders, (folder) => `<p>${folder}</p>`)}</nav><article><h1>${subject}</h1><div class="head"><p>${from}</p><p>${to}</p></div>` +
        `${each(paragraphs, (text) => `<p>${text}</p>`)}<div>${each(signature, (line) => `<p>${line}</p>`)}</div></article>`,
    ),
    width: 860,
  };
}

/** A form whose labels are above their values, or beside them. */
export function form(
  title: string,
  fields: readonly (readonly [label: string, value: string])[],
  isAbove: boolean,
  theme: Theme,
  face: Face = 'inter',
): Layout {
  const css = isAbove
    ? 'main{padding:24px;display:grid;grid-template-columns:1fr 1fr;gap:16px 22px}h1{font-size:22px;grid-column:1/3}.label{font-size:12.5px;' +
      'color:var(--soft);margin-bottom:4px}.box{border:1px solid var(--line);border-radius:6px;padding:8px 11px;background:var(--side)}'
    : 'main{padding:24px}h1{font-size:22px;margin-bottom:14px}.field{display:flex;padding:8px 0;border-bottom:1px solid var(--line)}' +
      '.label{width:230px;color:var(--soft)}';
  const body = each(
    fields,
    ([label, value]) => `<div class="field"><p class="label">${label}</p><p class="box">${value}</p></div>`,
  );
  return { html: page(theme, face, css, `<h1>${title}</h1>${body}`), width: isAbove ? 720 : 640 };
}

/** A table of a web application. */
export function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  theme: Theme,
  face: Face = 'sans',
): Layout {
  const css =
    'main{padding:20px}h1{font-size:19px;margin-bottom:12px}table{border-collapse:collapse;width:100%;font-size:13.5px}' +
    'th{text-align:left;background:var(--side);font-weight:600}th,td{padding:7px 11px;border-bottom:1px solid var(--line);white-space:nowrap}';
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${each(cells, (cell) => `<${tag}>${cell}</${tag}>`)}</tr>`;
  const body = `<h1>${title}</h1><table>${row(head, 'th')}${each(rows, (cells) => row(cells, 'td'))}</table>`;
  return { html: page(theme, face, css, body), width: 1000 };
}

/** A terminal, or a log. */
export function terminal(lines: readonly string[]): Layout {
  const css =
    'main{padding:14px 16px;font-size:13px;line-height:1.5;background:#0c0f13}p{white-space:pre-wrap}.p{color:#7ee787}';
  return {
    html: page(
      'dark',
      'mono',
      css,
      each(lines, (line) => `<p>${line}</p>`),
    ),
    width: 880,
  };
}

export interface Letter {
  readonly sender: string;
  readonly address: readonly string[];
  readonly reference: readonly string[];
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly signature: readonly string[];
}

/** A letter on paper. */
export function letter(
  { sender, address, reference, subject, paragraphs, signature }: Letter,
  face: Face = 'serif',
): Layout {
  const css =
    'main{padding:56px 68px;font-size:15.5px;line-height:1.5;background:#fff;color:#1b1b1b}.sender{font-size:21px;font-weight:600;' +
    'border-bottom:2px solid #444;padding-bottom:8px;margin-bottom:36px}.top{display:flex;justify-content:space-between;margin-bottom:36px}' +
    'h1{font-size:16.5px;margin-bottom:16px}.body p{margin-bottom:12px}.end{margin-top:26px}';
  const lines = (list: readonly string[]): string => each(list, (line) => `<p>${line}</p>`);
  return {
    html: page(
      'light',
      face,
      css,
      `<p class="sender">${sender}</p><div class="top"><div>${lines(address)}</div><div>${lines(reference)}</div></div>` +
        `<h1>${subject}</h1><div class="body">${lines(paragraphs)}</div><div class="end">${lines(signature)}</div>`,
    ),
    width: 780,
  };
}

/** A card to wear, or to carry. */
export function badge(
  organisation: string,
  lines: readonly (readonly [label: string, value: string])[],
  color: string,
  face: Face = 'inter',
): Layout {
  const css =
    `main{width:520px;border-radius:18px;overflow:hidden;background:#fdfdfb;color:#20242a}.bar{background:${color};color:#fff;padding:14px 20px;` +
    'font-size:20px;font-weight:600}.in{display:flex;gap:20px;padding:20px}.face{width:120px;height:150px;border-radius:8px;' +
    'background:radial-gradient(circle at 50% 38%,#b98f74 0 32px,transparent 33px),radial-gradient(circle at 50% 112%,#4d6178 0 68px,#c9d3dc 69px)}' +
    '.label{font-size:11px;color:#68737e}.v{font-size:16.5px;margin-bottom:7px}';
  const body = each(lines, ([label, value]) => `<p class="label">${label}</p><p class="v">${value}</p>`);
  return {
    html: page(
      'light',
      face,
      css,
      `<p class="bar">${organisation}</p><div class="in"><div class="face"></div><div>${body}</div></div>`,
    ),
    width: 520,
  };
}

/** The slip of a till. Rows with two parts have the second at the right. */
export function receipt(title: string, rows: readonly (readonly string[])[], face: Face = 'mono'): Layout {
  const css =
    'main{padding:22px 20px;font-size:13.5px;background:#fbfaf6;color:#26262a}h1{text-align:center;font-size:18px;margin-bottom:10px}' +
    '.r{display:flex;justify-content:space-between;gap:10px}.cut{border-top:1px dashed #888;margin:9px 0}';
  const body = each(rows, (cells) =>
    cells.length === 0 ? '<div class="cut"></div>' : `<div class="r">${each(cells, (cell) => `<p>${cell}</p>`)}</div>`,
  );
  return { html: page('light', face, css, `<h1>${title}</h1>${body}`), width: 400 };
}
