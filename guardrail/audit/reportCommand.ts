/** The command `report`. */
import { createReadStream } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { KeyObject } from 'node:crypto';
import { FORMATS, type Format } from './report/formats.ts';
import { formatted, ReportError, reportOf, type AuditSource } from './report/report.ts';
import { ReportOptionError, selectionOf } from './report/selection.ts';

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  customer: { type: 'string' },
  subject: { type: 'string' },
  team: { type: 'string' },
  tenant: { type: 'string' },
  instance: { type: 'string' },
  format: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

export interface ReportIo {
  readonly input: AsyncIterable<Buffer>;
  readonly write: (text: string) => void;
  readonly warn: (sentence: string) => void;
  /** The session key; undefined: there is none. */
  readonly key: () => KeyObject | undefined;
}

/** @returns the exit code: 1 if the streams cannot be read or have bad lines, 2 for wrong arguments */
export async function runReport(args: readonly string[], { input, write, warn, key }: ReportIo): Promise<number> {
  try {
    const { values, positionals } = optionsIn(args);
    const format = formatIn(values.format);
    const needsKey = values.customer !== undefined || values.team !== undefined;
    const selection = selectionOf(values, needsKey ? key() : undefined);
    const sources = positionals.length === 0 ? ['-'] : positionals;
    const report = await reportOf(
      sources.map((path) => sourceOf(path, input)),
      selection,
      warn,
    );
    write(formatted(report, format));
    return report.badLines === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ReportError || error instanceof ReportOptionError)) throw error;
    warn(error.message);
    return error instanceof ReportError ? 1 : 2;
  }
}

function optionsIn(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch {
    const names = Object.keys(OPTIONS).map((name) => `--${name}`);
    throw new ReportOptionError(`report accepts files and these options, each with a value: ${names.join(', ')}.`);
  }
}

function formatIn(text = 'text'): Format {
  const format = (Object.keys(FORMATS) as Format[]).find((name) => name === text);
  if (format) return format;
  throw new ReportOptionError(`--format must be ${Object.keys(FORMATS).join(', ')}.`);
}

function sourceOf(path: string, input: AsyncIterable<Buffer>): AuditSource {
  if (path === '-') return { name: 'standard input', open: () => input };
  return { name: path, open: () => createReadStream(path) as AsyncIterable<Buffer> };
}
