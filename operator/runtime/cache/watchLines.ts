/** Larger than any object that etcd stores (1.5 MiB), with room for escapes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Thrown for a watch line that is longer than any object. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

/** Splits a stream of bytes into lines. Drops empty lines, and an incomplete last line. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end);
      const line = rest.length === 0 ? piece.toString() : Buffer.concat([...rest, piece]).toString();
      rest = [];
      length = 0;
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > MAX_LINE_BYTES) throw new LineTooLongError('The watch sent a line that is longer than any object.');
    }
  }
}

/** Whether a watch ended because the server was silent for too long. */
export function isSilence(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'UND_ERR_BODY_TIMEOUT';
}
