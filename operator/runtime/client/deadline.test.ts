import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import { withDeadline } from '../clock.ts';

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('work with a deadline', () => {
  afterEach(() => {
    mock.timers.reset();
  });

  it('ends with a TimeoutError when the time is over', async () => {
    expect(await failure(withDeadline(5, undefined, aborted))).to.have.property('name', 'TimeoutError');
  });

  it('ends with the reason of the other signal, also if that is aborted already', async () => {
    const controller = new AbortController();
    const reason = new Error('stopping');
    const ended = failure(withDeadline(10_000, controller.signal, aborted));
    controller.abort(reason);
    expect(await ended).to.equal(reason);
    expect(await failure(withDeadline(10_000, controller.signal, () => Promise.resolve(1)))).to.equal(reason);
  });

  it('leaves neither a timer nor a listener', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { signal } = new AbortController();
    let given: AbortSignal | undefined;
    const work = (its: AbortSignal): Promise<number> => {
      given = its;
      return Promise.resolve(7);
    };
    expect(await withDeadline(5, signal, work)).to.equal(7);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
    mock.timers.tick(5);
    expect(given?.aborted).to.equal(false);
  });
});
