import { contextWords } from '../../languages/languages.ts';
import type { EntityType } from '../../contract.ts';

/** Words of a header, whole. */
const header = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'u');

const personName = header(contextWords('personName'));
const birth = new RegExp(String.raw`(?:^|[\s_-])(?:${contextWords('birth')})`, 'u');
const username = header(contextWords('username'));
const plate = header(contextWords('plate'));
const phone = header(contextWords('phoneHeader'));
const identifier = header(`${contextWords('documentId')}|${contextWords('personNumber')}`);
const town = header(contextWords('town'));
const street = header(contextWords('streetHeader'));
const postalCode = header(`${contextWords('postalCode')}|${contextWords('postalCodeKey')}`);
/** A column that contains names if another one says that the rows are about people. */
const plainName = header(contextWords('name'));

const nameValue = /^\p{L}[\p{L}\p{M}'’.-]{0,40}(?:,? \p{L}[\p{L}\p{M}'’.-]{0,40}){0,5}$/u;

/** The types of values in columns, and what a value of the type looks like. */
const VALUES = {
  PERSON: nameValue,
  DATE_OF_BIRTH: /^\d{1,4}[-/. ]?\d{1,2}[-/. ]?\d{1,4}$/,
  USERNAME: /^[\p{L}\d_][\p{L}\d_.@-]{1,39}$/u,
  ID: /^(?=.*\d)[\p{L}\d][\p{L}\d ./-]{2,24}$/u,
  LICENSE_PLATE: /^(?=.*\d)(?=.*\p{Lu})[\p{Lu}\d]{1,7}(?:[ -][\p{Lu}\d]{1,5}){0,3}$/u,
  PHONE_NUMBER: /^\+?\(?\d(?:[ ()./-]{0,2}\d){6,15}$/,
  ADDRESS:
    /^(?:(?=.*\d)[\p{L}\d][\p{L}\p{M}\d .,'’()/-]{2,60}|\p{L}[\p{L}\p{M} .,'’()-]{1,48}|(?=.{0,9}\d)[\p{L}\d][\p{L}\d -]{2,9})$/u,
} as const satisfies Readonly<Record<string, RegExp>>;

type ColumnType = keyof typeof VALUES;

/** The types of values in columns. */
export const columnTypes = Object.keys(VALUES) as readonly EntityType[];

/** Whether the value of a cell is one of the type of its column. */
export const isValueOf = (type: EntityType, value: string): boolean => VALUES[type as ColumnType].test(value);

/**
 * The entity type of each column; undefined for columns that identify nobody.
 * @param headers the headers of all columns, as they are written.
 * @returns empty if no column says that the rows are about people.
 */
export function typesOfColumns(headers: readonly string[]): (EntityType | undefined)[] {
  const labels = headers.map((label) => label.toLowerCase());
  if (headers.length < 2 || labels.includes('')) return [];
  const is = (pattern: RegExp, label: string): boolean =>
    pattern.test(label) || (label.includes('_') && pattern.test(label.replaceAll('_', ' ')));
  const types = labels.map((label): ColumnType | undefined => {
    if (is(personName, label)) return 'PERSON';
    if (is(birth, label)) return 'DATE_OF_BIRTH';
    if (is(plate, label)) return 'LICENSE_PLATE';
    if (is(phone, label)) return 'PHONE_NUMBER';
    return is(username, label) ? 'USERNAME' : undefined;
  });
  if (types.every((type) => type === undefined)) return [];
  // Shops and cars have towns, too.
  const arePeople = types.some((type) => type === 'PERSON' || type === 'DATE_OF_BIRTH' || type === 'USERNAME');
  return types.map((type, at) => {
    const label = labels[at] ?? '';
    if (type) return type;
    if (is(plainName, label)) return 'PERSON';
    if (is(identifier, label)) return 'ID';
    return arePeople && (is(town, label) || is(street, label) || is(postalCode, label)) ? 'ADDRESS' : undefined;
  });
}
