/**
 * The trace of the call that an event is about. It is no part of the event: OpenTelemetry has a place of its own for it. An
 * event waits in a queue, and is written when another call is running.
 */
import { context, ROOT_CONTEXT, trace, type Context, type SpanContext } from '@opentelemetry/api';
import type { AuditEvent } from './event.ts';

const traces = new WeakMap<AuditEvent, SpanContext>();

/** Notes that the call which runs now is the one of this event. */
export function noteTrace(event: AuditEvent): AuditEvent {
  const span = trace.getSpanContext(context.active());
  if (span) traces.set(event, span);
  return event;
}

/** Notes that an event continues another one. */
export function inTraceOf(event: AuditEvent, first: AuditEvent): AuditEvent {
  const span = traces.get(first);
  if (span) traces.set(event, span);
  return event;
}

/** The context in which an event is emitted, whatever call runs now. */
export function contextOf(event: AuditEvent): Context {
  const span = traces.get(event);
  return span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;
}
