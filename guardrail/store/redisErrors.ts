import { StoreUnavailableError } from './contract.ts';

/** Redis is reachable, and refuses a command. */
export class RedisRefusalError extends StoreUnavailableError {
  /** The first word of the reply: `OOM`, `MISCONF`, … */
  readonly code: string;

  constructor(code: string) {
    super(`Redis rejected a command with ${code}.`);
    this.code = code;
  }
}

/** Converts an error of ioredis, whose text repeats the command with its arguments, to one that carries no value. */
export function toUnavailableError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const message = error instanceof Error ? error.message : '';
  const code = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (code !== undefined) return new RedisRefusalError(code);
  if (message === 'Command timed out') return new StoreUnavailableError('Redis did not respond in time.');
  return new StoreUnavailableError('Redis is unreachable.');
}
