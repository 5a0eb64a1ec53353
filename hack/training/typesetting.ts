/**
 * Breaks a text at spaces into lines of at most `width`. A longer word stands alone.
 * @param hyphen splits the last word of a line where that fills the line.
 */
export function wrapped(text: string, width: number, hyphen?: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      const room = hyphen === undefined ? 0 : width - line.length - 1 - hyphen.length;
      const isBreakable = room > 2 && word.length - room > 2 && /^\p{L}+[,.]?$/u.test(word);
      lines.push(isBreakable ? `${line} ${word.slice(0, room)}${hyphen ?? ''}` : line);
      line = isBreakable ? word.slice(room) : word;
    } else line += line === '' ? word : ` ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Doubles spaces from left to right until the line reaches `width` or all are doubled. */
export function justified(line: string, width: number): string {
  let missing = width - line.length;
  return line.replaceAll(' ', () => (missing-- > 0 ? '  ' : ' '));
}
