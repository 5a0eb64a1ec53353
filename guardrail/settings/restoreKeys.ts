import type { Tenant } from '../ids.ts';
import { TENANT_NAME } from './apiKeys.ts';
import { entriesOf } from './values.ts';

/** Entity types, by the label of their pseudonyms; undefined: all types. */
export type ShownTypes = ReadonlySet<string> | undefined;

/** What an API key may restore. */
export interface RestoreRight {
  /** The tenant whose sessions the key reads. */
  readonly tenant: Tenant;
  /** Whether the key may do nothing else. */
  readonly isOnly: boolean;
  /** The types that the key may see. Pseudonyms of other types stay. */
  readonly types: ShownTypes;
}

/** The rights to restore, by the name of the API key. */
export type RestoreKeys = ReadonlyMap<Tenant, RestoreRight>;

/** The label of a type, as pseudonyms have it. */
const LABEL = /^[A-Z][A-Z0-9_]{0,31}$/;

/**
 * Reads rights separated by commas or line ends, each as `name:TYPE|TYPE` or `name@tenant:TYPE|TYPE`.
 * @throws Error that completes the sentence "<setting> …" and does not repeat the text: it may be a key
 */
export function parseRestoreKeys(text: string): RestoreKeys {
  const rights = entriesOf(text).map(parseRight);
  if (rights.length === 0) throw new Error('must contain at least one entry');
  const keys = new Map(rights);
  if (keys.size < rights.length) throw new Error('must not name the same key twice');
  return keys;
}

/** Reads types separated by vertical bars, or `*` for all. @throws as {@link parseRestoreKeys} */
export function parseTypes(text: string): ShownTypes {
  if (text.trim() === '*') return undefined;
  const types = text.split('|').map((type) => type.trim());
  if (!types.every((type) => LABEL.test(type))) {
    throw new Error('must contain types as in pseudonyms, such as EMAIL_ADDRESS|PHONE_NUMBER, or * for all types');
  }
  return new Set(types);
}

function parseRight(entry: string): [name: Tenant, right: RestoreRight] {
  const colon = entry.indexOf(':');
  const [name = '', tenant, ...rest] = entry
    .slice(0, Math.max(colon, 0))
    .split('@')
    .map((part) => part.trim());
  const isValid = colon > 0 && rest.length === 0 && [name, tenant ?? name].every((part) => TENANT_NAME.test(part));
  if (!isValid) throw new Error('must contain entries such as name:TYPE|TYPE, name:* or name@tenant:TYPE|TYPE');
  const types = parseTypes(entry.slice(colon + 1));
  return [name as Tenant, { tenant: (tenant ?? name) as Tenant, isOnly: tenant !== undefined, types }];
}
