/** Writes Markdown: tables, anchors and escaped text. Pure. */

/** A table without padding: a change of one row changes one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text as it reads: outside code, nothing in it is markup. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll(/[*[\]]/g, String.raw`\$&`)))
    .join('');
}

/** A value in the font of code. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** The anchor of a field, a setting or a metric: its name in lower case, with hyphens. */
export function anchorOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** A name to which a link can point. */
export function anchored(id: string, name: string): string {
  return `<a id="${anchorOf(id)}"></a>${code(name)}`;
}
