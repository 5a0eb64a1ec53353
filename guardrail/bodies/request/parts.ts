/** Decides what is checked in the parts of a form. */
import { createStepCounter, type Steps } from '../../eventLoop.ts';
import { isDataUrl, isImageUrl, MAX_VALUES } from '../../messages/messages.ts';
import { BodyError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { decodeUtf8 } from '../text.ts';
import { filePart, identifierPart, textPart, type Checkable } from './checkable.ts';
import { readingJsonLine } from './json.ts';
import { headWithFileName, type FormPart } from './multipart.ts';

/** A part of a form, as what is checked of it. */
export interface CheckedPart {
  readonly part: FormPart;
  readonly head: readonly Checkable[];
  /** The lines of a batch file are checked one by one. */
  readonly contents: readonly Checkable[];
}

/** @throws BodyError */
export function* checkingPart(operation: Operation, part: FormPart, hidesEndUser?: boolean): Steps<CheckedPart> {
  const { fileName, head } = part;
  const unchanged = unchecked(Buffer.from(head));
  if (fileName === undefined) return { part, head: [unchanged], contents: fieldOf(operation, part, hidesEndUser) };
  const write = (changed: string): Buffer => Buffer.from(changed === fileName ? head : headWithFileName(part, changed));
  const contents = yield* readingFile(operation, part, hidesEndUser);
  return { part, head: [fileName === '' ? unchanged : textPart(fileName, write)], contents };
}

function fieldOf({ members }: Operation, { name, content }: FormPart, hidesEndUser = false): Checkable[] {
  const text = decodeUtf8(content);
  if (text === undefined) throw new BodyError('invalid_encoding');
  const role = members.get(name.replace(/\[.*$/, '')) ?? 'free';
  const write = (changed: string): Buffer => Buffer.from(changed);
  if (role === 'endUser' && hidesEndUser) return [identifierPart(text, write)];
  if (role === 'opaque' || role === 'kept' || role === 'endUser' || text === '') return [unchecked(content)];
  if (isImageUrl(text)) return [imagePart(text, (url) => Buffer.from(url), content)];
  return [isDataUrl(text) ? filePart(content) : textPart(text, write)];
}

function* readingFile(
  operation: Operation,
  { content, fileName = '', contentType = '' }: FormPart,
  hidesEndUser?: boolean,
): Steps<Checkable[]> {
  const type = imageTypeOf(content);
  if (type !== undefined) {
    const source = `data:${type};base64,${content.toString('base64')}`;
    return [imagePart(source, (url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), content)];
  }
  return operation.takesLines === true && isLines(fileName, contentType)
    ? yield* readingLines(content, hidesEndUser)
    : [filePart(content)];
}

function isLines(fileName: string, contentType: string): boolean {
  return /\.jsonl$/i.test(fileName) || /^application\/(?:x-)?(?:jsonl|ndjson|jsonlines)\b/i.test(contentType);
}

/** The lines of a file, and the line ends as parts without text. */
function* readingLines(content: Buffer, hidesEndUser?: boolean): Steps<Checkable[]> {
  const lines: Checkable[] = [];
  const isStep = createStepCounter();
  let from = 0;
  while (from < content.length) {
    const end = content.indexOf(0x0a, from);
    const to = end < 0 ? content.length : end + 1;
    const line = content.subarray(from, to);
    if (lines.length >= MAX_VALUES) throw new BodyError('too_many_values');
    lines.push(/^\s*$/.test(line.toString('latin1')) ? unchecked(line) : yield* readingJsonLine(line, hidesEndUser));
    from = to;
    if (isStep(line.length)) yield;
  }
  return lines;
}

/** A part without anything to check. */
function unchecked(bytes: Buffer): Checkable {
  return { passages: [], images: [], hasFiles: false, write: () => bytes };
}

function imagePart(source: string, write: (url: string) => Buffer, original: Buffer): Checkable {
  return {
    passages: [],
    images: [source],
    hasFiles: false,
    write: (_, [url = source]) => (url === source ? original : write(url)),
  };
}

/** The media type by the first bytes. */
function imageTypeOf(content: Buffer): string | undefined {
  const head = content.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}
