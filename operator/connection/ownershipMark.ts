/**
 * Marks prove which resource owns an object at a gateway. A mark is an annotation that the operator signs with its own
 * key, so that it survives a backup without status, and neither a copy on another resource nor a text that a user has
 * written proves anything. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The resource and the object at a gateway that a mark connects. */
export interface MarkSubject {
  readonly kind: 'GatewayCustomer' | 'GatewayBudget';
  readonly namespace: string;
  readonly name: string;
  /** The id of the customer or of the budget at the gateway. */
  readonly id: string;
}

/** The content of a mark. */
export interface OwnershipMark {
  /** The digest of the gateway's address: see {@link GatewayIdentity.digest}. */
  readonly gateway: string;
  /** The uid of the resource when the mark was signed. A resource that was restored from a backup has another one. */
  readonly uid: string;
  /** The fields that the operator had set, or was about to set, when it signed the mark. */
  readonly fields: readonly string[];
  /** When the mark was signed, in RFC 3339. */
  readonly signedAt: string;
}

/** The text of a mark, for an annotation: JSON of its content and of a message authentication code. */
export function signedMark(
  key: Buffer,
  subject: MarkSubject,
  { gateway, uid, fields, signedAt }: OwnershipMark,
): string {
  const mark = { gateway, uid, fields, signedAt };
  return JSON.stringify({ ...mark, mac: macOf(key, subject, mark).toString('base64url') });
}

/** The mark in a text; undefined if the text is no mark of this subject that was signed with this key. */
export function verifiedMark(key: Buffer, subject: MarkSubject, text: string): OwnershipMark | undefined {
  const { mark, mac } = parsed(text) ?? {};
  if (mark === undefined || mac === undefined) return undefined;
  const expected = macOf(key, subject, mark);
  return mac.length === expected.length && timingSafeEqual(mac, expected) ? mark : undefined;
}

function macOf(key: Buffer, subject: MarkSubject, { gateway, uid, fields, signedAt }: OwnershipMark): Buffer {
  const { kind, namespace, name, id } = subject;
  const text = JSON.stringify([kind, namespace, name, id, gateway, uid, fields, signedAt]);
  return createHmac('sha256', key).update(text).digest();
}

function parsed(text: string): { readonly mark: OwnershipMark; readonly mac: Buffer } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { gateway, uid, fields, signedAt, mac } = value as Partial<Record<keyof OwnershipMark | 'mac', unknown>>;
  if (typeof gateway !== 'string' || typeof uid !== 'string') return undefined;
  if (typeof signedAt !== 'string' || typeof mac !== 'string') return undefined;
  if (!Array.isArray(fields) || !fields.every((field): field is string => typeof field === 'string')) return undefined;
  return { mark: { gateway, uid, fields, signedAt }, mac: Buffer.from(mac, 'base64url') };
}
