/** Makes a report of audit streams. */
import { FORMATS, type Format, type Report } from './formats.ts';
import { linesOf } from './lines.ts';
import { readEvent, UnknownVersionError } from './readEvent.ts';
import type { Selection } from './selection.ts';
import { Tally } from './tally.ts';

/** One stream of audit events. */
export interface AuditSource {
  /** The name in messages. */
  readonly name: string;
  readonly open: () => AsyncIterable<Buffer>;
}

/** Bad lines that are reported one by one. */
const MAX_REPORTED = 5;

/** A source cannot be read, or has events of another version. The message is a sentence. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
}

/**
 * Reads all sources, line by line.
 * @param warn receives a sentence for each of the first bad lines
 * @throws ReportError
 */
export async function reportOf(
  sources: readonly AuditSource[],
  { period, described, includes }: Selection,
  warn: (problem: string) => void,
): Promise<Report> {
  const tally = new Tally();
  let badLines = 0;
  for (const { name, open } of sources) {
    let number = 0;
    for await (const line of linesIn(name, open)) {
      number += 1;
      const event = line === undefined ? undefined : eventIn(line, `Line ${number} of ${name}`);
      if (event) {
        if (includes(event)) tally.add(event);
        continue;
      }
      badLines += 1;
      if (badLines <= MAX_REPORTED) warn(`Line ${number} of ${name} is not an audit event.`);
    }
  }
  if (badLines > 0) warn(`Lines that are not audit events: ${badLines}. The report does not count them.`);
  return { period, selection: described, badLines, ...tally.summary() };
}

export function formatted(report: Report, format: Format): string {
  return FORMATS[format](report);
}

async function* linesIn(name: string, open: AuditSource['open']): AsyncGenerator<string | undefined> {
  try {
    yield* linesOf(open());
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ReportError(`${name} cannot be read (${code}).`, { cause: error });
  }
}

function eventIn(line: string, place: string): ReturnType<typeof readEvent> {
  try {
    return readEvent(line);
  } catch (error) {
    if (error instanceof UnknownVersionError) throw new ReportError(`${place} ${error.message}`, { cause: error });
    throw error;
  }
}
