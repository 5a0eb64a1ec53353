const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** @returns a size such as `10Mi` in bytes. @throws RangeError where it is none. */
export function bytes(size: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi)?$/.exec(size) ?? [];
  if (number === undefined) throw new RangeError(`${size} is no size such as 10Mi.`);
  return Number(number) * (UNITS[unit] ?? 1);
}

/** A quantity of Kubernetes in bytes; undefined where it is none that a memory limit has. */
export function quantityBytes(quantity: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?(?:[eE]\d+)?)([kMGT]|[KMGT]i)?$/.exec(quantity) ?? [];
  return number === undefined ? undefined : Math.floor(Number(number) * (UNITS[unit] ?? 1));
}
