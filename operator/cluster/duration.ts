const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The milliseconds of a duration such as `1h30m`.
 * @throws RangeError if the text is not a duration
 */
export function parseDuration(text: string): number {
  if (!/^(?:\d+(?:ms|s|m|h|d))+$/.test(text))
    throw new RangeError(`${text} is not a duration. Use a format such as 90s or 1h30m.`);
  let sum = 0;
  for (const [, amount = '0', unit = ''] of text.matchAll(/(\d+)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNITS[unit] ?? 0);
  return sum;
}
