import type { Span } from './contract.ts';
import { documentEndings, fileEndings } from './words/code.ts';

/** The letters and digits of a handle before and after a part of it, with the marks that join them. */
const before = /(?:[\p{Ll}\p{N}]+[._-])*[\p{Ll}\p{N}]*$/u;
const after = /^[\p{Ll}\p{N}]*(?:[._-][\p{Ll}\p{N}]+)*/u;
/** The longest handle, in UTF-16 code units. */
const LONGEST = 40;
/** A handle has a mark or a digit, and is no file, host, path or call. */
const isHandle = /[_.\d]/;
const file = new RegExp(String.raw`\.(?:${fileEndings}|${documentEndings})$`);
const joinedBefore = /[\p{L}\p{N}/=]/u;
const joinedAfter = /[\p{L}\p{N}/(]/u;

/**
 * Extends a name within a handle to the whole handle, as "pete" in "pangolin_pete": the rest would say whose it is. A handle is
 * written in small letters and digits.
 */
export function withHandles(text: string, spans: readonly Span[]): readonly Span[] {
  const whole = spans.map((span) => (span.type === 'PERSON' ? handleAround(text, span) : span));
  return whole.some((span, at) => span !== spans[at]) ? whole : spans;
}

function handleAround(text: string, span: Span): Span {
  const name = text.slice(span.start, span.end);
  if (!/^[\p{Ll}\p{N}._-]+$/u.test(name)) return span;
  const start = span.start - (before.exec(text.slice(Math.max(0, span.start - LONGEST), span.start))?.[0].length ?? 0);
  const end = span.end + (after.exec(text.slice(span.end, span.end + LONGEST))?.[0].length ?? 0);
  const handle = text.slice(start, end);
  if (handle === name || handle.length > LONGEST || !isHandle.test(handle) || file.test(handle)) return span;
  if (joinedBefore.test(text.charAt(start - 1)) || joinedAfter.test(text.charAt(end))) return span;
  return { ...span, start, end, type: 'USERNAME', rule: 'handle' };
}
