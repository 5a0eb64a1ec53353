/**
 * multipart/form-data. Accepts one spelling only, because a body that two programs split in different ways could carry a
 * text past the check.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
import { BodyError } from '../errors.ts';
import { inSquareBrackets } from '../text.ts';

/** A part, and where its head and its content stand. */
export interface FormPart {
  readonly name: string;
  /** Undefined: the part is a field, not a file. */
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  /** The lines of the head, without the last line end. */
  readonly head: string;
  readonly content: Buffer;
}

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_PARTS = 1000;

/** @returns the boundary; undefined if the type is not multipart/form-data. @throws BodyError */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return undefined;
  const all = [...contentType.matchAll(/;\s*boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?=;|$)/gi)];
  const [, quoted, plain] = all[0] ?? [];
  const boundary = quoted ?? plain;
  if (all.length !== 1 || boundary === undefined) throw new BodyError('invalid_multipart');
  return boundary;
}

/** @throws BodyError */
export function readParts(bytes: Buffer, boundary: string): FormPart[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const places: number[] = [];
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length))
    places.push(at);
  if (places[0] !== 0 || places.length < 2 || places.length > MAX_PARTS) throw new BodyError('invalid_multipart');
  return places
    .map((place, index) => {
      const next = places[index + 1];
      const from = place + delimiter.length;
      const isLast = next === undefined;
      const rest = bytes.subarray(from, isLast ? undefined : next);
      if (isLast) {
        if (!/^--(?:\r\n)?$/.test(rest.toString('latin1'))) throw new BodyError('invalid_multipart');
        return undefined;
      }
      const isDelimited = rest.subarray(0, 2).equals(CRLF) && rest.length >= 4 && rest.subarray(-2).equals(CRLF);
      if (!isDelimited) throw new BodyError('invalid_multipart');
      return partOf(rest.subarray(2, -2));
    })
    .filter((part) => part !== undefined);
}

/** @param contents the head and the content of each part, in order */
export function writeParts(parts: readonly Pick<FormPart, 'head' | 'content'>[], boundary: string): Buffer {
  const written = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    content,
    CRLF,
  ]);
  return Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
}

/** @returns the head of the part with another file name */
export function headWithFileName({ head }: FormPart, fileName: string): string {
  const quoted = inSquareBrackets(fileName.replace(/[\r\n"\\]/g, '_'));
  return head
    .replace(/;\s*filename\*=[^;\r\n]*/i, '')
    .replace(/(;\s*filename=)(?:"[^"\r\n]*"|[^;\r\n]*)/i, `$1"${quoted}"`);
}

function partOf(part: Buffer): FormPart {
  const end = part.indexOf(HEAD_END);
  if (end < 0 || end > 8192) throw new BodyError('invalid_multipart');
  const head = part.toString('utf8', 0, end);
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const [, name, value] = /^([A-Za-z-]+):[ \t]*([^\r\n\u0000]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || headers.has(name.toLowerCase())) {
      throw new BodyError('invalid_multipart');
    }
    headers.set(name.toLowerCase(), value);
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  const disposition = headers.get('content-disposition') ?? '';
  const names = [...disposition.matchAll(/;\s*name="([^"]*)"|;\s*name=([^\s;"]+)/g)];
  const [, quoted, plain] = names[0] ?? [];
  const name = quoted ?? plain;
  const isForm = /^form-data\s*;/i.test(disposition) && names.length === 1 && /^(?:binary|8bit|7bit)$/i.test(encoding);
  if (!isForm || name === undefined) throw new BodyError('invalid_multipart');
  return {
    name,
    fileName: fileNameOf(disposition),
    contentType: headers.get('content-type'),
    head,
    content: part.subarray(end + HEAD_END.length),
  };
}

function fileNameOf(disposition: string): string | undefined {
  const [, quoted, plain] = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const [, extended] = /;\s*filename\*=(?:utf-8|iso-8859-1)'[^']*'([^\s;]+)/i.exec(disposition) ?? [];
  if (extended === undefined) return quoted ?? plain;
  try {
    return decodeURIComponent(extended);
  } catch {
    throw new BodyError('invalid_multipart');
  }
}
