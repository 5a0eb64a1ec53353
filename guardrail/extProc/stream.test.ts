import { Duplex } from 'node:stream';
import { Metadata } from '@grpc/grpc-js';
import { expect } from 'chai';
import { ClientGoneError } from '../proxy/proxy.ts';
import { ProcessorStream, type ProcessorCall } from './stream.ts';

describe('the sender of a call through Envoy', () => {
  const OF_REQUEST: Readonly<Record<string, string>> = { traceparent: 'of-the-request', tracestate: 'state=request' };
  const sender = (own: Readonly<Record<string, string>>): (string | undefined)[] => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(own)) metadata.set(name, value);
    const idle = { metadata, iterator: () => undefined, once: () => undefined, on: () => undefined };
    const stream = new ProcessorStream(idle as unknown as ProcessorCall);
    return ['traceparent', 'tracestate'].map((name) => stream.traceContext(name, OF_REQUEST[name] ?? ''));
  };

  it('is Envoy, if it is traced, with nothing of the request', () => {
    expect(sender({ traceparent: 'of-envoy' })).to.deep.equal(['of-envoy', undefined]);
    expect(sender({ traceparent: 'of-envoy', tracestate: 'state=envoy' })).to.deep.equal(['of-envoy', 'state=envoy']);
  });

  it('is that of the request, if Envoy is not traced', () => {
    expect(sender({ 'user-agent': 'envoy' })).to.deep.equal(['of-the-request', 'state=request']);
  });
});

describe('a call that Envoy has ended', () => {
  for (const [what, use] of [
    ['the next message', (stream: ProcessorStream) => stream.next()],
    ['a message', (stream: ProcessorStream) => stream.write({})],
  ] as const)
    it(`rejects ${what}, and leaves no other failure`, async () => {
      const duplex = new Duplex({
        objectMode: true,
        read: () => undefined,
        write: (_, __, done) => {
          done();
        },
      });
      const call = Object.assign(duplex, { metadata: new Metadata() }) as unknown as ProcessorCall;
      const stream = new ProcessorStream(call);
      call.emit('cancelled', 'cancelled');
      duplex.destroy();
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => {
        unhandled.push(reason);
      };
      process.prependListener('unhandledRejection', note);
      try {
        const failure: unknown = await use(stream).catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(ClientGoneError);
        await new Promise(setImmediate);
        await new Promise(setImmediate);
      } finally {
        process.off('unhandledRejection', note);
      }
      expect(unhandled).to.deep.equal([]);
    });
});
