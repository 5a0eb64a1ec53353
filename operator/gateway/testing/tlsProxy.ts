/** For tests: a TLS proxy before a gateway, with a replaceable certificate. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from './certificates.ts';

/** A running TLS proxy. */
export interface TlsProxy {
  readonly port: number;
  /** Uses another certificate from now on, and closes all connections. */
  show(certificate: TestCertificate): void;
  stop(): Promise<void>;
}

/**
 * Starts a TLS proxy.
 * @param target base address of the gateway, without TLS
 */
export async function startTlsProxy(target: string, certificate: TestCertificate): Promise<TlsProxy> {
  const server = createServer(certificate, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const passedOn = request(target + url, { ...(method === undefined ? {} : { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passedOn.on('error', () => incoming.socket.destroy());
    incoming.pipe(passedOn);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    show: (next) => {
      server.setSecureContext(next);
      server.closeAllConnections();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
