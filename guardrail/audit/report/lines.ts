/** Reads the lines of a stream, however large it is. */

/** A longer line is no audit event. In bytes. */
export const MAX_LINE = 1024 * 1024;
const LINE_FEED = 0x0a;

/** @returns each line that is not empty, without its end; undefined for a line that is too long */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const line = (): string | undefined => {
    const text = length > MAX_LINE ? undefined : Buffer.concat(parts).toString('utf8').trim();
    parts = [];
    length = 0;
    return text;
  };
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= MAX_LINE) parts.push(part);
    else parts = [];
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const text = line();
      if (text !== '') yield text;
    }
    keep(chunk.subarray(start));
  }
  const last = line();
  if (last !== '') yield last;
}
