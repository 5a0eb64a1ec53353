/** Searches a text for a pattern of RE2, in steps. */
import type { RE2JS } from 're2js';
import type { Steps } from '../../eventLoop.ts';

/**
 * Up to this product of the length of a text and the size of a pattern, RE2JS searches the text at once. Its search takes up to
 * some milliseconds then.
 */
const AT_ONCE = 1 << 18;
/** The threads that a step of the search runs. Each takes some 50 ns. */
const STEP_THREADS = 1 << 14;

/** Finds all matches: the first at each place, in order and disjoint. A match is not empty. */
export function* eachMatch(pattern: RE2JS, text: string, found: (start: number, end: number) => void): Steps<void> {
  if (text.length * pattern.programSize() > AT_ONCE) {
    yield* eachMatchInSteps(pattern, text, found);
    return;
  }
  const matches = pattern.matcher(text);
  while (matches.find()) if (matches.start() < matches.end()) found(matches.start(), matches.end());
}

/**
 * As {@link eachMatch}, but yields at places inside of the text: RE2JS would search all of it at once. It drives the automaton of
 * RE2JS, so that it finds the same.
 */
export function* eachMatchInSteps(
  pattern: RE2JS,
  text: string,
  found: (start: number, end: number) => void,
): Steps<void> {
  const engine = pattern.re2() as Engine;
  const automaton = automatonOf(engine);
  const isDue = threadCounter();
  try {
    for (let from = 0; from <= text.length;) {
      yield* search(automaton, engine, { text, from, isDue });
      if (!automaton.matched) return;
      const [start = 0, end = 0] = automaton.matchcap;
      if (start < end) found(start, end);
      from = start < end ? end : end + widthAt(text, end);
    }
  } finally {
    engine.put(automaton);
  }
}

/** The compiled pattern of RE2JS. */
interface Engine {
  /** What a match must begin with; 0 and more characters. */
  readonly prefix: string;
  /** The flags of the positions at which a match can begin. */
  readonly cond: number;
  /** Takes an automaton out of those that are not in use. */
  get(): Automaton | null;
  put(automaton: Automaton): void;
  /** Searches a text with an automaton, which is not in use then. */
  doExecuteNFA(input: object, from: number, anchor: number, captures: number): unknown;
}

/** Threads of an automaton, the preferred ones first. */
interface Threads {
  readonly size: number;
  clear(): void;
}

/** The automaton with which RE2JS searches a text character by character. */
interface Automaton {
  readonly prog: { readonly start: number };
  readonly q0: Threads;
  readonly q1: Threads;
  matched: boolean;
  /** The start and the end of the match. */
  readonly matchcap: Int32Array;
  init(captures: number): void;
  /** Starts a thread at a place. */
  add(threads: Threads, instruction: number, at: number, captures: Int32Array, offset: number, flags: number): void;
  /** Moves all threads over a character. */
  step(
    ...parameters: [
      ...[from: Threads, to: Threads, at: number, next: number, character: number],
      ...[flags: number, anchor: number, isAtEnd: boolean],
    ]
  ): void;
}

const UNANCHORED = 0;
const BEGIN_TEXT = 4;
/** An empty text. */
const EMPTY = { step: () => -8, context: () => flagsBetween(-1, -1), endPos: () => 0, canCheckPrefix: () => false };

function automatonOf(engine: Engine): Automaton {
  const free = engine.get();
  if (free) return free;
  engine.doExecuteNFA(EMPTY, 0, UNANCHORED, 2);
  const created = engine.get();
  if (!created) throw new Error('RE2JS keeps no automaton.');
  return created;
}

/** Counts the threads that run. @returns whether a step is long enough */
function threadCounter(): (threads: number) => boolean {
  let run = 0;
  return (threads) => {
    run += threads;
    if (run <= STEP_THREADS) return false;
    run = 0;
    return true;
  };
}

function reset(automaton: Automaton): void {
  automaton.init(2);
  automaton.matched = false;
}

interface Search {
  readonly text: string;
  readonly from: number;
  readonly isDue: (threads: number) => boolean;
}

/** Searches the first match that begins at `from` or later. */
function* search(automaton: Automaton, engine: Engine, { text, from, isDue }: Search): Steps<void> {
  const { prefix, cond } = engine;
  reset(automaton);
  let [threads, next] = [automaton.q0, automaton.q1];
  for (let at = from; ;) {
    if (threads.size === 0) {
      if (automaton.matched || ((cond & BEGIN_TEXT) !== 0 && at > 0)) break;
      if (prefix !== '') at = text.indexOf(prefix, at);
      if (at < 0) break;
    }
    if (!automaton.matched) {
      automaton.matchcap[0] = at;
      automaton.add(threads, automaton.prog.start, at, automaton.matchcap, 0, flagsAt(text, at));
    }
    if (isDue(1 + threads.size)) yield;
    const width = widthAt(text, at);
    const isAtEnd = at === text.length;
    const character = isAtEnd ? -1 : (text.codePointAt(at) ?? -1);
    automaton.step(threads, next, at, at + width, character, flagsAt(text, at + width), UNANCHORED, isAtEnd);
    if (isAtEnd) break;
    at += width;
    [threads, next] = [next, threads];
  }
  threads.clear();
  next.clear();
}

/** The length of the character at a place, in UTF-16 code units. */
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** What RE2 knows of a place: the beginnings and ends of the text, of lines and of words. */
function flagsAt(text: string, at: number): number {
  const before = at > 0 ? text.charCodeAt(at - 1) : -1;
  return flagsBetween(before, at < text.length ? text.charCodeAt(at) : -1);
}

function flagsBetween(before: number, after: number): number {
  const begin = before < 0 ? 1 | BEGIN_TEXT : before === LINE_END ? 1 : 0;
  const end = after < 0 ? 2 | 8 : after === LINE_END ? 2 : 0;
  return begin | end | (isWord(before) === isWord(after) ? 32 : 16);
}

const LINE_END = 0x0a;
const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
