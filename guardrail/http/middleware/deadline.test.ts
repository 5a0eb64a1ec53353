import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { CallContext } from './context.ts';
import { withDeadline } from './deadline.ts';
import { ServiceError } from './errors.ts';

/** A call with a connection only. */
function contextOf(connection = new EventEmitter()): CallContext {
  return { res: connection } as unknown as CallContext;
}

/** Work that never finishes, and its signal. */
function stuck(): { readonly work: (signal: AbortSignal) => Promise<never>; readonly signal: () => AbortSignal } {
  let given: AbortSignal | undefined;
  return {
    work: (signal) => {
      given = signal;
      return new Promise(() => undefined);
    },
    signal: () => given ?? AbortSignal.abort(),
  };
}

describe('the deadline of a call', () => {
  it('returns 429 with Retry-After for work that ignores its signal', async () => {
    for (const [timeoutMs, seconds] of [
      [10, '1'],
      [1100, '2'],
    ] as const) {
      const { work, signal } = stuck();
      const error: unknown = await withDeadline(contextOf(), work, timeoutMs).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ServiceError).and.include({ status: 429, code: 'timeout' });
      expect((error as ServiceError).headers).to.deep.equal({ 'retry-after': seconds });
      expect(signal().aborted).to.equal(true);
    }
  });

  it('aborts the work when the client disconnects', async () => {
    const connection = new EventEmitter();
    const { work, signal } = stuck();
    withDeadline(contextOf(connection), work).catch(() => undefined);
    expect(signal().aborted).to.equal(false);
    connection.emit('close');
    expect(signal().aborted).to.equal(true);
  });

  it('aborts the work if the client has already disconnected', async () => {
    const { work, signal } = stuck();
    const connection = Object.assign(new EventEmitter(), { destroyed: true });
    withDeadline(contextOf(connection), work).catch(() => undefined);
    await Promise.resolve();
    expect(signal().aborted).to.equal(true);
  });

  it('returns or throws the result of the work, and removes its listeners', async () => {
    const connection = new EventEmitter();
    const context = contextOf(connection);
    expect(await withDeadline(context, () => Promise.resolve('done'), 1000)).to.equal('done');
    const error = new Error('It failed.');
    const thrown: unknown = await withDeadline(context, () => Promise.reject(error), 1000).catch((one: unknown) => one);
    expect(thrown).to.equal(error);
    expect(connection.listenerCount('close')).to.equal(0);
  });
});
