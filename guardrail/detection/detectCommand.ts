import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { toCodePoints } from './text/codePoints.ts';
import type { AnalysisContext, Analyzer } from './contract.ts';
import { atWord, explain, type Explanation, type TextRange } from './explanation.ts';
import { droppedJson, explanationText, findingJson } from './explanationReport.ts';

export interface DetectOptionsOfCommand {
  readonly analyzer: Analyzer;
  /** Receives progress and error messages. */
  readonly log: Writable;
  /** The team whose policy overrides apply. */
  readonly team?: string | undefined;
  readonly signal?: AbortSignal;
  /** Explains each find and each dropped candidate, as text or as JSON. */
  readonly trace?: 'text' | 'json' | undefined;
  /** Explains only what touches this word. */
  readonly why?: string | undefined;
}

const lineSchema = z.object({ id: z.union([z.string(), z.number()]), text: z.string() });
const progressEvery = 1000;

/**
 * Reads lines of the form `{"id","text"}` and writes a line `{"id","spans":[{"start","end","type","score"}]}` for each.
 * Offsets are code points. With `trace`, it writes explanations in their place. Lines are independent of each other. An invalid line is reported to `log` and skipped.
 * @returns the number of lines with a result, and of invalid lines.
 * @throws DetectorUnavailableError
 */
export async function runDetect(
  input: Readable,
  output: Writable,
  { analyzer, log, team, signal = new AbortController().signal, trace, why }: DetectOptionsOfCommand,
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
    const result = trace
      ? traced(read, await explain(analyzer, read.text, { team, signal }), trace, why)
      : await spansOf(read, analyzer, { team, signal });
    if (!output.write(result)) await drained(output);
    if (++done % progressEvery === 0) {
      log.write(`Analyzed ${done} texts in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }
  }
  return { done, failed };
}

type Line = z.output<typeof lineSchema>;

async function spansOf({ id, text }: Line, analyzer: Analyzer, context: AnalysisContext): Promise<string> {
  const [findings = []] = await analyzer.analyze([text], context);
  const at = toCodePoints(text);
  const spans = findings.map(({ start, end, type, score }) => ({
    start: at(start),
    end: at(end),
    type,
    score: Math.round(score * 1000) / 1000,
  }));
  return `${JSON.stringify({ id, spans })}\n`;
}

function traced({ id, text }: Line, explanation: Explanation, trace: 'text' | 'json', why = ''): string {
  if (trace === 'text') return `${JSON.stringify(id)}\n${explanationText(text, explanation, why)}\n`;
  const shown = <P extends TextRange>(places: readonly P[]): readonly P[] =>
    why === '' ? places : atWord(text, why, places);
  const at = toCodePoints(text);
  const spans = shown(explanation.findings).map((find) => findingJson(find, at));
  const dropped = shown(explanation.dropped).map((candidate) => droppedJson(candidate, at));
  return `${JSON.stringify({ id, spans, dropped })}\n`;
}

function readLine(line: string): Line | { readonly problem: string } {
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
