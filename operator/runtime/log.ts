import { pino, type DestinationStream, type Logger } from 'pino';

/** Levels that can be chosen, from the most talkative. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How deep causes of errors are told. */
const CAUSES = 5;

/**
 * The operator's log: one JSON object a line, on standard output. Of an error only type, message, status, code and
 * stack are told, with its causes: whatever else hangs on it (requests, headers, bodies) may hold secrets.
 */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => describeError(error, CAUSES) },
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
    // Where an answer of the API server was noticed tells nobody anything.
    ...(typeof status === 'number' ? {} : { stack }),
    ...(cause === undefined || depth === 0 ? {} : { cause: describeError(cause, depth - 1) }),
  };
}
