/** Reads the values that settings have. Each throws an Error whose message completes the sentence "<name> …". */

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KI: 1024,
  MI: 1024 ** 2,
  GI: 1024 ** 3,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
};

/** @returns milliseconds. */
export function duration(min: number, max: number): (text: string) => number {
  return (text) => {
    const isWhole = /^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d))+$/.test(text);
    let value = isWhole ? 0 : Number.NaN;
    for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)) {
      value += Number(amount) * (DURATION_UNITS[unit ?? ''] ?? Number.NaN);
    }
    if (!(value >= min && value <= max)) {
      throw new Error(
        `must be a duration such as 500ms, 15m, 24h or 1h30m, from ${min} ms to ${max / 86_400_000} days`,
      );
    }
    return value;
  };
}

/** @returns bytes. */
export function size(min: number, max: number): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?) ?([KMG](?:i?B|i))?$/i.exec(text);
    const value = Math.floor(Number(match?.[1]) * (SIZE_UNITS[(match?.[2] ?? '').toUpperCase()] ?? Number.NaN));
    if (!(value >= min && value <= max)) {
      throw new Error(`must be a size such as 512KiB or 10MiB, from ${min} to ${max} bytes`);
    }
    return value;
  };
}

export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
}

export function flag(text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Error('must be true or false');
}

export function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`must be ${values.join(' or ')}`);
    return value;
  };
}

/** Separated by commas; at least one, each once. */
export function listOf<T>(item: (text: string) => T): (text: string) => readonly T[] {
  return (text) => {
    const items = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(item);
    if (items.length === 0) throw new Error('must name at least one');
    if (new Set(items).size < items.length) throw new Error('must not name one twice');
    return items;
  };
}

export function matching(pattern: RegExp, requirement: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new Error(requirement);
    return text;
  };
}

export function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error('must be an http or https URL');
  return url;
}

export function sessionKey(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'utf8');
  if (key.length < 32) throw new Error('must have at least 32 characters: make one with `openssl rand -hex 32`');
  return key;
}

/** 32 bytes each, in base64 or hexadecimal digits, separated by commas or line ends; the first one encrypts. */
export function encryptionKeys(text: string): readonly [Buffer, ...Buffer[]] {
  const keys = text
    .split(/[,\r\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const key = /^[0-9a-fA-F]{64}$/.test(part) ? Buffer.from(part, 'hex') : Buffer.from(part, 'base64');
      const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(part);
      if (key.length !== 32 || !(isBase64 || part.length === 64)) {
        throw new Error('must hold keys of 32 bytes in base64 or hexadecimal: make one with `openssl rand -base64 32`');
      }
      return key;
    });
  const [first, ...others] = keys;
  if (!first) throw new Error('must hold at least one key');
  return [first, ...others];
}
