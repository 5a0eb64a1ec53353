/** Names of properties are structure: none is replaced for a name in it, only for being a value of exact form as a whole. */
import type { EntityType } from '../detection/detection.ts';
import type { Segment, TextKind } from '../messages/messages.ts';
import { knownType, type Found, type Occurrence, type Values } from './occurrences.ts';

const EXACT: ReadonlySet<EntityType> = new Set(['EMAIL_ADDRESS', 'CREDIT_CARD', 'IBAN_CODE', 'PHONE_NUMBER']);

/** A phone number has its country code: others look like any number. */
const isExact = (value: string, type: EntityType): boolean =>
  EXACT.has(type) && (type !== 'PHONE_NUMBER' || value.startsWith('+'));

/** Whether a segment of a text is the name of a property. In prose, JSON is what its author pasted. */
export const isKeyIn = (kind: TextKind, { isKey }: Segment): boolean =>
  isKey === true && (kind === 'arguments' || kind === 'key');

/** The findings in the name of a property that count. */
export const inKey = ({ text }: Segment, found: readonly Found[]): readonly Found[] =>
  found.filter(({ start, end, type, whole }) => whole && start === 0 && end === text.length && isExact(text, type));

/** The value that the name of a property is, found here or in what is known in the message. */
export function keyOccurrence(
  { text }: Segment,
  found: readonly Occurrence[],
  values: Values,
  message: number,
): Occurrence[] {
  const type = knownType(values, text, message) ?? found[0]?.type;
  return type !== undefined && isExact(text, type) ? [{ start: 0, end: text.length, type }] : [];
}

/** The findings of a text without those that are in the name of a property and do not count. */
export function countedFindings<F extends Occurrence>(
  kind: TextKind,
  segments: readonly Segment[],
  findings: readonly F[],
): readonly F[] {
  const keys = segments.filter((segment) => isKeyIn(kind, segment));
  if (keys.length === 0) return findings;
  let at = 0;
  return findings.filter(({ start, end, type }) => {
    while (at < keys.length && (keys[at]?.end ?? 0) <= start) at++;
    const key = keys[at];
    if (!key || start < key.start || end > key.end) return true;
    return start === key.start && end === key.end && isExact(key.text, type);
  });
}
