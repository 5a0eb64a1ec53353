const MULTIPLES: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20 };

/** @returns a size such as `10Mi` in bytes. @throws RangeError where it is none. */
export function bytes(size: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi)?$/.exec(size) ?? [];
  if (number === undefined) throw new RangeError(`${size} is no size such as 10Mi.`);
  return Number(number) * (MULTIPLES[unit] ?? 1);
}
