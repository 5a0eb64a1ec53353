/** For tests: a TLS proxy before a gateway, with a replaceable certificate. */
import { request } from 'node:http';
import { createServer } from 'node:https';
import { listen } from '../../../hack/harness/gateway/listen.ts';
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
  const { port, stop } = await listen(server);
  return {
    port,
    show: (next) => {
      server.setSecureContext(next);
      server.closeAllConnections();
    },
    stop,
  };
}
