/** Test support: an endpoint for OTLP over HTTP as JSON, that keeps what it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** A span, in short. */
export interface ReceivedSpan {
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** 2: error. */
  readonly status: number;
  readonly events: readonly unknown[];
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface ReceivedPoint {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly type: 'sum' | 'gauge' | 'histogram';
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Of a histogram, the number of values. */
  readonly value: number;
  readonly bucketCounts: readonly number[];
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface ReceivedLog {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly traceId: string;
}

export interface OtlpReceiver {
  readonly url: string;
  /** Everything that was sent, as it was sent. */
  readonly bytes: () => string;
  readonly requests: () => number;
  readonly spans: () => ReceivedSpan[];
  readonly points: () => ReceivedPoint[];
  readonly logs: () => ReceivedLog[];
  /** Answers in another way from now on. undefined: never answers. */
  answer(status: number | undefined): void;
  close(): void;
}

/* oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-return --
   The JSON of OTLP is read where a test looks at it. */

/** Starts an endpoint on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: { readonly path: string; readonly text: string }[] = [];
  let status: number | undefined = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ path: request.url ?? '', text: Buffer.concat(parts).toString('utf8') });
      // What an answer says must not be in a log.
      if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bodies = (signal: string): any[] =>
    received.filter(({ path }) => path === `/v1/${signal}`).map(({ text }) => JSON.parse(text));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => received.map(({ text }) => text).join('\n'),
    requests: () => received.length,
    spans: () =>
      bodies('traces').flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
          scopeSpans.flatMap(({ spans }: any) => spans.map((span: any) => spanOf(span, resource))),
        ),
      ),
    points: () =>
      bodies('metrics').flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ resource, scopeMetrics }: any) =>
          scopeMetrics.flatMap(({ metrics }: any) => metrics.flatMap((metric: any) => pointsOf(metric, resource))),
        ),
      ),
    logs: () =>
      bodies('logs').flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }: any) =>
          scopeLogs.flatMap(({ logRecords }: any) =>
            logRecords.map(({ body, attributes, traceId = '' }: any) => ({
              body: body?.stringValue ?? '',
              attributes: attributesOf(attributes),
              traceId,
            })),
          ),
        ),
      ),
    answer(next) {
      status = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spanOf(span: any, resource: any): ReceivedSpan {
  return {
    name: span.name,
    kind: span.kind,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    traceState: span.traceState ?? '',
    attributes: attributesOf(span.attributes),
    status: span.status?.code ?? 0,
    events: span.events ?? [],
    resource: attributesOf(resource?.attributes),
  };
}

function pointsOf(metric: any, resource: any): ReceivedPoint[] {
  const type = (['sum', 'gauge', 'histogram'] as const).find((one) => metric[one] !== undefined) ?? 'sum';
  return metric[type].dataPoints.map((point: any) => ({
    name: metric.name,
    unit: metric.unit ?? '',
    description: metric.description ?? '',
    type,
    attributes: attributesOf(point.attributes),
    value: Number(point.asDouble ?? point.asInt ?? point.count),
    bucketCounts: (point.bucketCounts ?? []).map(Number),
    resource: attributesOf(resource?.attributes),
  }));
}

function attributesOf(attributes: readonly Attribute[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
