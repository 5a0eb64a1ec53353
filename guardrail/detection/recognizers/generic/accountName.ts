import { impersonalAccounts, placeholderAccounts } from '../../words/accounts.ts';

/** A user name: letters, digits and the separators that most systems allow. Bounded: longer ones are rare. */
export const NAME = String.raw`[\p{L}\d_][\p{L}\d_.-]{0,38}[\p{L}\d_]`;

const placeholder = new RegExp(String.raw`^(?:${placeholderAccounts}|\d)`);

/** Whether a name can be that of a person. */
export function isPersonal(name: string): boolean {
  const lower = name.toLowerCase();
  return !impersonalAccounts.has(lower) && /\p{L}/u.test(name) && !placeholder.test(lower);
}
