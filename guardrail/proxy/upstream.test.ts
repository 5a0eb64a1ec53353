import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import { ClientGoneError } from './errors.ts';
import { createUpstream, type UpstreamAnswer, type UpstreamPool } from './upstream.ts';

describe('an answer of the upstream', () => {
  let server: Server;
  let upstream: UpstreamPool;
  let respond: (response: ServerResponse) => void;
  beforeEach(async () => {
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(200).flushHeaders();
      respond(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    upstream = createUpstream(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterEach(async () => {
    await upstream.close();
    server.closeAllConnections();
    server.close();
  });

  const send = (to: (response: ServerResponse) => void): Promise<UpstreamAnswer> => {
    respond = to;
    return upstream.send({
      ...{ method: 'GET', path: '/', headers: [], body: null, signal: new AbortController().signal },
    });
  };
  /** Waits until the answer has parts, or its end, that nobody has taken. */
  const untilReady = async (answer: UpstreamAnswer): Promise<void> => {
    while (!answer.isReady) await nextIteration();
  };

  it('hands out what arrived before it was asked for at once', async () => {
    const answer = await send((response) => response.write('one', () => response.end('two')));
    await untilReady(answer);
    const parts: string[] = [];
    await answer.each((part) => void parts.push(part.toString()));
    expect(parts.join('')).to.equal('onetwo');
  });

  it('hands out a part after the other, and collects what arrives while the receiver is busy', async () => {
    let model: ServerResponse | undefined;
    const answer = await send((response) => {
      model = response;
      response.write('one');
    });
    const parts: string[] = [];
    let isBusy = false;
    await answer.each(async (part) => {
      expect(isBusy).to.equal(false);
      isBusy = true;
      parts.push(part.toString());
      if (parts.length === 1) {
        model?.write('two');
        await untilReady(answer);
        model?.end('three');
      }
      await nextIteration();
      isBusy = false;
    });
    expect(parts[0]).to.equal('one');
    expect(parts.join('')).to.equal('onetwothree');
  });

  it('hands out its parts in the context of the call, not of the connection', async () => {
    const context = new AsyncLocalStorage<string>();
    const call = (name: string): Promise<void> =>
      context.run(name, async () => {
        const model = Promise.withResolvers<ServerResponse>();
        const answer = await send(model.resolve);
        const seen: (string | undefined)[] = [];
        const received = answer.each(() => void seen.push(context.getStore()));
        (await model.promise).end('text');
        await received;
        expect(seen).to.deep.equal([name]);
      });
    let connections = 0;
    server.on('connection', () => (connections += 1));
    await call('first');
    // Now the connection is free.
    await nextIteration();
    await call('second');
    expect(connections).to.equal(1);
  });

  const FAILURES: [fails: string, take: (part: Buffer) => Promise<void> | undefined][] = [
    [
      'throws',
      () => {
        throw new Error('not this part');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not this part'))],
  ];
  for (const [fails, take] of FAILURES) {
    it(`ends for a receiver that ${fails}, which receives no more`, async () => {
      const answer = await send((response) => response.write('one'));
      let taken = 0;
      const counting = (part: Buffer): Promise<void> | undefined => {
        taken += 1;
        return take(part);
      };
      const [failure] = await Promise.allSettled([answer.each(counting)]);
      expect(failure).to.have.nested.property('reason.message', 'not this part');
      answer.cancel();
      await untilReady(answer);
      expect(taken).to.equal(1);
    });
  }

  it('is not asked for if the client leaves before there is a connection', async () => {
    let requests = 0;
    server.on('request', () => (requests += 1));
    const client = new AbortController();
    const request = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}'), signal: client.signal };
    const [during, before] = [upstream.send(request), upstream.send({ ...request, signal: AbortSignal.abort() })];
    client.abort(new ClientGoneError());
    for (const failure of await Promise.allSettled([during, before])) expect(failure.status).to.equal('rejected');
    // The connections of both are open by now, and free.
    const answers = await Promise.all([1, 2].map(() => send((response) => response.end())));
    await Promise.all(answers.map((answer) => answer.each(() => undefined)));
    expect(requests).to.equal(answers.length);
  });

  it('fails if it is cut off, after all that has arrived', async () => {
    const answer = await send((response) => response.write('one', () => response.destroy()));
    const parts: string[] = [];
    const [failure] = await Promise.allSettled([answer.each((part) => void parts.push(part.toString()))]);
    expect(failure).to.have.nested.property('reason.code', 'upstream_failed');
    expect(parts).to.deep.equal(['one']);
  });
});
