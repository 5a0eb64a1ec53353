import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { toCodePoints } from './text/codePoints.ts';
import type { Analyzer } from './contract.ts';

export interface DetectOptionsOfCommand {
  readonly analyzer: Analyzer;
  /** Receives progress and error messages. */
  readonly log: Writable;
  /** The team whose policy overrides apply. */
  readonly team?: string | undefined;
  readonly signal?: AbortSignal;
}

const lineSchema = z.object({ id: z.union([z.string(), z.number()]), text: z.string() });
const progressEvery = 1000;

/**
 * Reads lines of the form `{"id","text"}` and writes a line `{"id","spans":[{"start","end","type","score"}]}` for each.
 * Offsets are code points. Lines are independent of each other. An invalid line is reported to `log` and skipped.
 * @returns the number of lines with a result, and of invalid lines.
 * @throws DetectorUnavailableError
 */
export async function runDetect(
  input: Readable,
  output: Writable,
  { analyzer, log, team, signal = new AbortController().signal }: DetectOptionsOfCommand,
): Promise<{ readonly done: number; readonly failed: number }> {
  const started = performance.now();
  let lineNumber = 0;
  let done = 0;
  let failed = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    lineNumber++;
    if (line.trim() === '') continue;
    const read = readLine(line);
    if ('problem' in read) {
      failed++;
      log.write(`Line ${lineNumber} ${read.problem}.\n`);
      continue;
    }
    const [findings = []] = await analyzer.analyze([read.text], { team, signal });
    const at = toCodePoints(read.text);
    const spans = findings.map(({ start, end, type, score }) => ({
      start: at(start),
      end: at(end),
      type,
      score: Math.round(score * 1000) / 1000,
    }));
    if (!output.write(`${JSON.stringify({ id: read.id, spans })}\n`)) await drained(output);
    if (++done % progressEvery === 0) {
      log.write(`Analyzed ${done} texts in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }
  }
  return { done, failed };
}

function readLine(line: string): z.output<typeof lineSchema> | { readonly problem: string } {
  let content: unknown;
  try {
    content = JSON.parse(line);
  } catch {
    return { problem: 'is not valid JSON: each line must be an object {"id", "text"}' };
  }
  const parsed = lineSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  return { problem: 'must be an object with "id" (a string or a number) and "text" (a string)' };
}

function drained(output: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    output.once('drain', resolve);
    output.once('error', reject);
  });
}
