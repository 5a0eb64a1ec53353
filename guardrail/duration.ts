import * as z from 'zod';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A schema that reads a duration such as `1h30m` in milliseconds. Its error completes the sentence "<name> …".
 *
 * @param min the shortest duration, in milliseconds
 * @param max the longest duration, in milliseconds
 */
export function duration(min: number, max: number): z.ZodType<number, string> {
  const error = `must be a duration such as 500ms, 15m, 24h or 1h30m, from ${min} ms to ${max / 86_400_000} days`;
  return z
    .string({ error })
    .regex(/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d))+$/, { error, abort: true })
    .transform((text) =>
      text
        .matchAll(/([\d.]+)(ms|s|m|h|d)/g)
        .reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN), 0),
    )
    .refine((value) => value >= min && value <= max, error);
}

const DAY_MS = 86_400_000;

/** How long a mapping can be stored after its last use. */
export function mappingTtl(): z.ZodType<number, string> {
  return duration(1000, 365 * DAY_MS);
}
