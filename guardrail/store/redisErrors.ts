import { StoreUnavailableError } from './contract.ts';

/** Converts an error of ioredis, whose text repeats the command with its arguments, to one that carries no value. */
export function toUnavailableError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const message = error instanceof Error ? error.message : '';
  const code = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  if (code !== undefined) return new StoreUnavailableError(`Redis rejected a command with ${code}.`);
  if (message === 'Command timed out') return new StoreUnavailableError('Redis did not respond in time.');
  return new StoreUnavailableError('Redis is unreachable.');
}
