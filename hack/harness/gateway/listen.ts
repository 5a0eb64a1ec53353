import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:<port>`, even if it listens on other addresses, too. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends open connections. */
  readonly stop: () => Promise<void>;
}

/** Lets a server listen, by default on a free port of 127.0.0.1. @throws Error if the port is in use */
export async function listen(server: HttpServer | HttpsServer, port = 0, host = '127.0.0.1'): Promise<Listening> {
  server.listen(port, host);
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${taken}`, port: taken, stop };
}
