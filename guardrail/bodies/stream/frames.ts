/** Splits an answer that arrives in chunks into events, whatever the chunks, and writes them back. */

/** One event, line or element, with all its bytes. */
export interface Frame {
  readonly raw: string;
  /** Its JSON, or another text; undefined if it has none. */
  readonly data: string | undefined;
  /** The name of a server-sent event. */
  readonly name?: string | undefined;
  /** @returns the frame with other data. The data may differ in JSON strings only. */
  readonly withData: (data: string) => string;
  /** What is written before and after the data; absent: the data is not in one piece. */
  readonly around?: readonly [before: string, after: string];
}

/** An event that is not in the answer. */
export interface NewEvent {
  readonly data: string;
  readonly name: string | undefined;
}

export interface Framer {
  /** @returns the frames that are complete now. @throws UnreadableAnswerError */
  push(chunk: Buffer): Frame[];
  /** @returns what is left at the end. @throws UnreadableAnswerError */
  end(): Frame[];
  /**
   * Reads a chunk that is one whole event: a string of ASCII without escapes, and given bytes before and after it.
   * @returns the string; undefined: nothing was read, and {@link push} must read the chunk
   */
  readAlike?(chunk: Buffer, before: Buffer, after: Buffer): string | undefined;
  /** @returns the frame with events before it. */
  insert(events: readonly NewEvent[], frame: string): string;
}
