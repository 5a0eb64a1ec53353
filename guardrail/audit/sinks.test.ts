import { createSecretKey } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { logs, type Logger, type LogRecord } from '@opentelemetry/api-logs';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { expect } from 'chai';
import type { Tenant } from '../ids.ts';
import type { AuditedCall } from './contract.ts';
import { openLineWriter } from './lineWriter.ts';
import { openSink } from './sinks.ts';
import { eventWith } from './testing/events.ts';
import { createAuditTrail } from './trail.ts';
import { relayAudit, workerWriters, type Channel } from './workers.ts';

describe('an audit file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
    path = join(folder, 'audit.jsonl');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('has one event a line, and only its owner can read it', async () => {
    const sink = openSink({ kind: 'file', path }, openLineWriter);
    const events = [eventWith(), eventWith({ 'guardrail.action': 'BLOCKED' })];
    await sink.write(events.slice(0, 1));
    await sink.write(events.slice(1));
    await sink.close();
    expect(readFileSync(path, 'utf8')).to.equal(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(statSync(path).mode & 0o777).to.equal(0o600);
  });

  for (const [what, rotate] of [
    [
      'a rotation',
      (old: string) => {
        renameSync(path, old);
      },
    ],
    [
      'its deletion',
      (old: string) => {
        writeFileSync(old, readFileSync(path));
        rmSync(path);
      },
    ],
  ] as const) {
    it(`is another file after ${what}`, async () => {
      const old = join(folder, 'audit.jsonl.1');
      const writer = openLineWriter({ kind: 'file', path });
      await writer.write('one\n');
      rotate(old);
      await writer.write('two\n');
      await writer.close();
      expect([readFileSync(old, 'utf8'), readFileSync(path, 'utf8')]).to.deep.equal(['one\n', 'two\n']);
      expect(statSync(path).mode & 0o777).to.equal(0o600);
    });
  }

  it('keeps its lines, and ends one that a killed process has left', async () => {
    writeFileSync(path, 'one\n{"part');
    const writer = openLineWriter({ kind: 'file', path });
    await writer.write('two\n');
    appendFileSync(path, 'other\n');
    await writer.write('three\n');
    await writer.close();
    expect(readFileSync(path, 'utf8')).to.equal('one\n{"part\ntwo\nother\nthree\n');
  });

  it('takes events again when its folder is back', async () => {
    const writer = openLineWriter({ kind: 'file', path: join(folder, 'later', 'audit.jsonl') });
    const problem: unknown = await writer.write('one\n').catch((error: unknown) => error);
    expect(problem).to.have.property('code', 'ENOENT');
    renameSync(mkdtempSync(join(folder, 'x')), join(folder, 'later'));
    await writer.write('two\n');
    await writer.close();
    expect(readFileSync(join(folder, 'later', 'audit.jsonl'), 'utf8')).to.equal('two\n');
  });

  it('gets the lines of all workers whole, by the primary process', async () => {
    const outputs = [{ kind: 'otlp' }, { kind: 'file', path }] as const;
    const relay = relayAudit(outputs, openLineWriter);
    const workers = Array.from({ length: 3 }, () => workerWriters(outputs, connected(relay))(outputs[1]));
    const lines = workers.map((_, n) => Array.from({ length: 20 }, (__, at) => `${n}-${at}-${'x'.repeat(9000)}\n`));
    await Promise.all(
      workers.map(async (writer, n) => {
        for (const line of lines[n] ?? []) await writer.write(line);
      }),
    );
    await relay.close();
    expect(readFileSync(path, 'utf8').split('\n').sort()).to.deep.equal(
      ['', ...lines.flat().map((line) => line.trimEnd())].sort(),
    );
  });

  it('that the primary process cannot write fails in the worker, with the code of the error', async () => {
    const outputs = [{ kind: 'file', path: join(folder, 'none', 'audit.jsonl') }] as const;
    const writer = workerWriters(outputs, connected(relayAudit(outputs, openLineWriter)))(outputs[0]);
    const problem: unknown = await writer.write('one\n').catch((error: unknown) => error);
    expect(problem).to.have.property('code', 'ENOENT');
  });

  it('without a primary process fails in the worker', async () => {
    const outputs = [{ kind: 'stdout' }] as const;
    const gone: Channel = {
      send: (_, done) => {
        done(new Error('Channel closed'));
      },
      onMessage: () => undefined,
    };
    const problem: unknown = await workerWriters(
      outputs,
      gone,
    )(outputs[0])
      .write('one\n')
      .catch((error: unknown) => error);
    expect(problem).to.have.property('code', 'ERR_IPC_CHANNEL_CLOSED');
  });
});

/** A worker's channel to a primary process in the same process. Messages are copied, and delivered later. */
function connected(relay: ReturnType<typeof relayAudit>): Channel {
  let receive: (message: unknown) => void = () => undefined;
  return {
    send(message, done) {
      const copy: unknown = JSON.parse(JSON.stringify(message));
      setImmediate(() => {
        relay.receive('something else', () => undefined);
        relay.receive(copy, (outcome) => {
          receive(JSON.parse(JSON.stringify(outcome)));
        });
        done(null);
      });
    },
    onMessage(listener) {
      receive = listener;
    },
  };
}

function callOf(phase: 'request' | 'response', call: number): AuditedCall {
  return {
    ...{ startedAt: new Date(), durationMs: 1, requestId: '', route: '/', status: 200, tenant: 'a' },
    ...{ session: undefined, protocol: 'basic', action: 'NONE', monitored: undefined, error: undefined },
    notes: { phase, callIds: 'public', identity: { tenant: 'a' as Tenant, callId: `call-${call}` } },
  };
}

describe('audit events over OpenTelemetry', () => {
  afterEach(() => {
    logs.disable();
  });

  it('are log records', async () => {
    const records: LogRecord[] = [];
    const logger: Logger = { emit: (record) => void records.push(record), enabled: () => true };
    logs.setGlobalLoggerProvider({ getLogger: () => logger });
    const { '@timestamp': time, ...attributes } = eventWith();
    await openSink({ kind: 'otlp' }, openLineWriter).write([eventWith()]);
    expect(records).to.deep.equal([
      {
        ...{ eventName: 'guardrail.audit', timestamp: new Date(time), severityNumber: 9, severityText: 'INFO' },
        ...{ attributes, context: ROOT_CONTEXT },
      },
    ]);
  });

  it('belong to the trace of their own call', async () => {
    const records: LogRecord[] = [];
    const logger: Logger = { emit: (record) => void records.push(record), enabled: () => true };
    logs.setGlobalLoggerProvider({ getLogger: () => logger });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanOf = (n: number) => ({ traceId: `${n}`.repeat(32), spanId: `${n}`.repeat(16), traceFlags: 1 });
    const inSpanOf = <T>(n: number, run: () => T): T =>
      context.with(trace.setSpanContext(ROOT_CONTEXT, spanOf(n)), run);
    try {
      const trail = createAuditTrail({
        ...{ key: createSecretKey(Buffer.alloc(32)), instance: undefined },
        sinks: [openSink({ kind: 'otlp' }, openLineWriter)],
        observer: { written: () => undefined, dropped: () => undefined, failed: () => undefined },
      });
      for (const n of [1, 2, 3])
        inSpanOf(n, () => {
          trail.record(callOf('request', n));
        });
      trail.record(callOf('request', 4));
      // Pieces of one answer.
      for (const n of [5, 6])
        inSpanOf(n, () => {
          trail.record(callOf('response', 5));
        });
      await inSpanOf(9, () => trail.close());
    } finally {
      context.disable();
    }
    const seen = records.map((record) => record.context && trace.getSpanContext(record.context)?.traceId[0]);
    expect(seen).to.deep.equal(['1', '2', '3', undefined, '5']);
  });

  it('without an exporter are lost, not taken for written', async () => {
    const problem: unknown = await openSink({ kind: 'otlp' }, openLineWriter)
      .write([eventWith()])
      .catch((error: unknown) => error);
    expect(problem).to.have.property('name', 'NoLogExporterError');
  });
});
