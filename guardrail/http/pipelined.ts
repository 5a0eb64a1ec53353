/** Calls that a client sends on one connection before the earlier ones are answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Gateways and browsers send one call at a time on a connection; few clients send more than some ahead. */
const MOST_WAITING = 32;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The calls of one connection that have not been answered. */
interface Row {
  readonly waiting: (() => void)[];
  isRefused: boolean;
}

/**
 * Handles the calls of a connection one after the other, as they are answered. Node emits all calls that it finds in one
 * piece of a connection at once: were they begun at once too, a client with many in a row would hold the event loop,
 * and take a place of its tenant's and of the line for each, although none is answered before the one that it came after.
 * @param refuse answers the first call that is too many, and ends the connection with it; what comes after it is dropped
 */
export function inTurns(handle: Handle, refuse: (response: ServerResponse) => void): Handle {
  const rows = new WeakMap<Socket, Row>();

  const begin = (socket: Socket, row: Row, work: () => void, response: ServerResponse): void => {
    response.once('close', () => {
      const next = row.waiting.shift();
      if (next === undefined) rows.delete(socket);
      else if (!socket.destroyed) next();
    });
    work();
  };

  return (request, response) => {
    const { socket } = request;
    const known = rows.get(socket);
    const row = known ?? { waiting: [], isRefused: false };
    const isTooMany = row.waiting.length >= MOST_WAITING;
    if (row.isRefused) return;
    row.isRefused = isTooMany;
    const work = isTooMany ? refuse.bind(undefined, response) : handle.bind(undefined, request, response);
    const turn = (): void => {
      begin(socket, row, work, response);
    };
    if (known === undefined) {
      rows.set(socket, row);
      turn();
    } else {
      row.waiting.push(turn);
    }
  };
}
