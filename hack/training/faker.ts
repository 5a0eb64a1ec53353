import { allLocales } from '@faker-js/faker';

type Lists = Readonly<Record<string, unknown>>;

const locales = allLocales as unknown as Readonly<Record<string, Readonly<Record<string, Lists | undefined>>>>;

function flat(value: unknown): string[] {
  if (Array.isArray(value))
    return value.filter((entry): entry is string => typeof entry === 'string' && !entry.includes('{'));
  if (value && typeof value === 'object') return Object.values(value).flatMap(flat);
  return [];
}

/** A list of one or more faker locales, without duplicates. */
export function fakerList(keys: string, group: string, name: string): string[] {
  return [...new Set(keys.split(' ').flatMap((key) => flat(locales[key]?.[group]?.[name])))];
}
