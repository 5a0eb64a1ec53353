/** Pipelining: calls that a client sends on one connection before the earlier ones are answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum number of waiting calls of a connection. Gateways and browsers do not pipeline; other clients rarely
 * exceed it.
 */
const MAX_WAITING = 32;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The unanswered calls of one connection. */
interface Pipeline {
  readonly waiting: (() => void)[];
  isRefused: boolean;
}

/**
 * Handles the calls of a connection one after the other. Node emits all calls in one chunk of a connection at once. If
 * all of them started, a client that pipelines many calls would block the event loop, and take queue entries and slots
 * of its tenant, although no call is answered before the previous one.
 * @param refuse answers the first call above the limit and closes the connection. Later calls are ignored.
 */
export function oneAtATime(handle: Handle, refuse: (response: ServerResponse) => void): Handle {
  const pipelines = new WeakMap<Socket, Pipeline>();

  const start = (socket: Socket, pipeline: Pipeline, work: () => void, response: ServerResponse): void => {
    response.once('close', () => {
      const next = pipeline.waiting.shift();
      if (next === undefined) pipelines.delete(socket);
      else if (!socket.destroyed) next();
    });
    work();
  };

  return (request, response) => {
    const { socket } = request;
    const known = pipelines.get(socket);
    const pipeline = known ?? { waiting: [], isRefused: false };
    if (pipeline.isRefused) return;
    pipeline.isRefused = pipeline.waiting.length >= MAX_WAITING;
    const work = pipeline.isRefused ? refuse.bind(undefined, response) : handle.bind(undefined, request, response);
    const startThis = (): void => {
      start(socket, pipeline, work, response);
    };
    if (known === undefined) {
      pipelines.set(socket, pipeline);
      startThis();
    } else {
      pipeline.waiting.push(startThis);
    }
  };
}
