/** Tracing with OpenTelemetry's API. Loaded only together with the SDK. */
import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type TextMapGetter,
  type TextMapSetter,
  type Tracer,
} from '@opentelemetry/api';
import { errorType } from '../errorType.ts';
import type { CallSpan, Carrier, SpanAttributes, SpanStart, TraceFields, Tracing } from './tracing.ts';

const SCOPE = 'gateway-guardrail-operator';
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** The baggage of a caller can contain anything. It stays as it is where its headers are forwarded, and goes nowhere else. */
const BAGGAGE = 'baggage';

const GETTER: TextMapGetter<Carrier> = {
  keys: () => propagation.fields(),
  get: (carrier, name) => (name === BAGGAGE ? undefined : carrier(name)),
};

const SETTER: TextMapSetter<Map<string, string | undefined>> = {
  set(headers, name, value) {
    headers.set(name.toLowerCase(), value);
  },
};

export function createApiTracing(): Tracing {
  return new ApiTracing(trace.getTracer(SCOPE));
}

class ApiTracing implements Tracing {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  async run<T>(start: SpanStart, work: (span: CallSpan) => Promise<T>): Promise<T> {
    const { name, kind, attributes = {}, parent } = start;
    const outer = contextOf(parent);
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, outer);
    const inner = trace.setSpan(outer, span);
    const callSpan = new ApiSpan(span, inner);
    try {
      return await context.with(inner, () => work(callSpan));
    } catch (error) {
      callSpan.fail(errorType(error));
      throw error;
    } finally {
      span.end();
    }
  }

  fields(): TraceFields {
    const active = trace.getSpanContext(context.active());
    if (active === undefined || !isSpanContextValid(active)) return {};
    return { trace_id: active.traceId, span_id: active.spanId };
  }
}

class ApiSpan implements CallSpan {
  readonly #span: Span;
  readonly #context: Context;
  #isFailed = false;

  constructor(span: Span, context: Context) {
    this.#span = span;
    this.#context = context;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type: string): void {
    // The first failure is more precise than the error that follows from it.
    if (this.#isFailed) return;
    this.#isFailed = true;
    // Neither a message nor the exception: both may quote what a caller sent.
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', type);
  }

  headers(): ReadonlyMap<string, string | undefined> {
    const headers = new Map<string, string | undefined>();
    for (const name of propagation.fields()) if (name !== BAGGAGE) headers.set(name.toLowerCase(), undefined);
    propagation.inject(this.#context, headers, SETTER);
    return headers;
  }
}

function contextOf(parent: SpanStart['parent']): Context {
  if (parent === undefined) return context.active();
  return parent === 'none' ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent, GETTER);
}
