/** Pipelining: calls that a client sends on one connection before the earlier ones are answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum number of waiting calls of a connection. Gateways and browsers do not pipeline; other clients rarely
 * exceed it.
 */
const MAX_WAITING = 32;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The calls of one connection. */
interface Pipeline {
  /** Whether a call is being answered. */
  isBusy: boolean;
  /** The calls that wait; undefined: none has ever waited. */
  waiting: (() => void)[] | undefined;
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

  const start = (pipeline: Pipeline, request: IncomingMessage, response: ServerResponse, isRefused: boolean): void => {
    const { socket } = request;
    pipeline.isBusy = true;
    response.on('close', () => {
      pipeline.isBusy = false;
      if (!socket.destroyed) pipeline.waiting?.shift()?.();
    });
    if (isRefused) refuse(response);
    else handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (!pipeline) {
      // As long as the connection: most have one call after the other.
      pipeline = { isBusy: false, waiting: undefined, isRefused: false };
      pipelines.set(socket, pipeline);
    }
    if (pipeline.isRefused) return;
    if (!pipeline.isBusy) {
      start(pipeline, request, response, false);
      return;
    }
    const waiting = (pipeline.waiting ??= []);
    const isRefused = waiting.length >= MAX_WAITING;
    pipeline.isRefused = isRefused;
    const own = pipeline;
    waiting.push(() => {
      start(own, request, response, isRefused);
    });
  };
}
