/** What the API server accepts, as in the schemas of the resources. Pure. */
import { hasInvisibleCharacters } from '../api/v1alpha1/v1alpha1.ts';

// RE2's \s and [[:cntrl:]], which the schemas use, are ASCII.
const edgeOrControl = /^[\t\n\f\r ]|[\t\n\f\r ]$|[\x00-\x1f\x7f]/;
const durationPattern = /^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$/;

/** Whether a text has 1 to `max` characters. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && lengthOf(value) <= max && value.isWellFormed();
}

/** The API server counts code points. */
function lengthOf(value: string): number {
  return Array.from(value).length;
}

/** Whether an id has no control characters and no white space at its ends. */
export function isCleanId(value: string): boolean {
  return isText(value, 256) && !edgeOrControl.test(value);
}

/** Why the API server refuses a customer id; undefined if it accepts it. */
export function idFault(value: string): string | undefined {
  if (value === '') return 'it is empty';
  if (lengthOf(value) > 256) return 'it has more than 256 characters';
  if (!isCleanId(value)) return 'it begins or ends with white space, or contains control characters';
  return hasInvisibleCharacters(value) ? 'it contains invisible characters' : undefined;
}

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

export function isDuration(value: unknown): value is string {
  return typeof value === 'string' && durationPattern.test(value);
}

export function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && isAmount(value) && value <= max;
}

/** Whether a list of names is short enough. */
export function areNames(value: unknown, max: number): value is readonly string[] {
  return Array.isArray(value) && value.length <= max && value.every((name) => isText(name, 256));
}
