/**
 * Spans, for code that does not know whether anything is traced. Without tracing, work runs as it is: no span, no
 * attribute and no closure of this file is created.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Gives the headers of a call that arrives; undefined: the call has no such header. */
export type Carrier = (name: string) => string | undefined;

/** How a span begins. Neither its name nor its attributes may contain what a caller chose. */
export interface SpanStart {
  readonly name: string;
  /** server: a call arrives; client: a call to another program; internal: anything else. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** The parent, for a span that does not belong to the active one: none, or the sender of a call. */
  readonly parent?: 'none' | Carrier;
}

/** A span while its work runs. */
export interface CallSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** The work failed. @param type a code or the name of a class, never a message */
  fail(type: string): void;
  /** The headers of a call that the work makes, by name. undefined: the call must not have this header. */
  headers(): ReadonlyMap<string, string | undefined>;
}

/** The ids that join a line of the log to a span. */
export interface TraceFields {
  readonly trace_id?: string;
  readonly span_id?: string;
}

/** What {@link setTracing} plugs in. */
export interface Tracing {
  run<T>(start: SpanStart, work: (span: CallSpan) => Promise<T>): Promise<T>;
  fields(): TraceFields;
}

let tracing: Tracing | undefined;

/** Begins tracing, or ends it. */
export function setTracing(next: Tracing | undefined): void {
  tracing = next;
}

/** Whether spans are recorded. It does not change while a program serves calls. */
export function isTracing(): boolean {
  return tracing !== undefined;
}

/**
 * Runs work in a span, which fails if the work throws.
 * @param work its `span` is undefined without tracing, so that `span?.set({…})` does not even create the attributes
 */
export function inSpan<T>(start: SpanStart, work: (span: CallSpan | undefined) => Promise<T>): Promise<T> {
  return tracing === undefined ? work(undefined) : tracing.run(start, work);
}

/** The ids of the active span, for the log. A new object each time: pino writes the fields of the line into it. */
export function traceFields(): TraceFields {
  return tracing === undefined ? {} : tracing.fields();
}

/**
 * Puts the headers of a span in place of those that the caller sent.
 * @param headers names in lower case and values in turn
 */
export function withTraceHeaders(headers: readonly string[], span: CallSpan): string[] {
  const own = span.headers();
  const result: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value] = [headers[at] ?? '', headers[at + 1] ?? ''];
    if (!own.has(name)) result.push(name, value);
  }
  for (const [name, value] of own) if (value !== undefined) result.push(name, value);
  return result;
}
