const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/**
 * The bytes of a size such as `10Mi`.
 * @throws RangeError if the text is not a size
 */
export function bytes(size: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi)?$/.exec(size) ?? [];
  if (number === undefined) throw new RangeError(`${size} is not a size. Use a format such as 10Mi.`);
  return Number(number) * (UNITS[unit] ?? 1);
}

/** The bytes of a Kubernetes quantity; undefined if it has a unit that memory limits do not have. */
export function quantityBytes(quantity: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?(?:[eE]\d+)?)([kMGT]|[KMGT]i)?$/.exec(quantity) ?? [];
  return number === undefined ? undefined : Math.floor(Number(number) * (UNITS[unit] ?? 1));
}
