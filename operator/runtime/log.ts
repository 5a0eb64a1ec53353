import { type DestinationStream, type Logger, pino } from 'pino';

/** The log levels, most verbose first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The maximum depth of logged error causes. */
const MAX_CAUSE_DEPTH = 5;

/**
 * Creates the operator's logger: one JSON object per line on standard output. Of an error, it logs only type, message, status,
 * code, reason, stack and causes. Other properties (requests, headers, bodies) may contain secrets.
 * @param mixin more fields of each line
 */
export function createLogger(level: LogLevel, destination?: DestinationStream, mixin?: () => object): Logger {
  const options = {
    level,
    ...(mixin === undefined ? {} : { mixin }),
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => describeError(error, MAX_CAUSE_DEPTH) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function describeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { status, code, reason } = error as { status?: unknown; code?: unknown; reason?: unknown };
  return {
    type: name,
    message,
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    // The stack of an API error has no useful information.
    ...(typeof status === 'number' ? {} : { stack }),
    ...(cause === undefined || depth === 0 ? {} : { cause: describeError(cause, depth - 1) }),
  };
}

/** Control and format characters, line separators and lone surrogates: a terminal interprets them or cannot show them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Escapes unprintable characters and truncates the text, for untrusted text in a terminal: names of resources that were stored
 * before validation, responses of a gateway, keys of a document.
 * @param longest the maximum length
 */
export function printable(text: string, longest: number): string {
  // Truncates only between characters and between escapes, because a part of one is unprintable.
  let shown = '';
  let kept = '';
  for (const character of text) {
    shown += character.replace(UNPRINTABLE, escapeOf);
    if (shown.length > longest) return `${kept}…`;
    if (shown.length < longest) kept = shown;
  }
  return shown;
}

function escapeOf(character: string): string {
  return character === '\n' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
