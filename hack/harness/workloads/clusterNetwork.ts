/**
 * Preloaded (`node --import`) into a program that runs on this machine as if in the cluster: it redirects connections to
 * Services and pods to their local processes. The variable CLUSTER_ADDRESSES names the address file of the workload runner.
 * Connections to unknown cluster addresses are refused, so that none leaves this machine.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Addresses, POD_NETWORK } from './addresses.ts';

const file = process.env.CLUSTER_ADDRESSES ?? '';
/** The discard port: nothing listens there. */
const NOWHERE = 9;

/** The port of 127.0.0.1 to use instead; undefined for hosts outside the cluster. */
export function localPort(host: string, port: number, addresses: () => Addresses): number | undefined {
  if (!host.startsWith(POD_NETWORK) && !/\.svc(\.cluster\.local)?$/.test(host)) return undefined;
  return addresses()[`${host}:${port}`] ?? NOWHERE;
}

function readAddresses(): Addresses {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Addresses;
  } catch {
    return {};
  }
}

interface Target {
  host?: string;
  port?: number | string;
}

// Every TCP client of Node calls this function, undici and ioredis included.
if (file !== '') {
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    // node:net calls itself with an array of options and callback.
    const first: unknown = args[0];
    const target = (Array.isArray(first) ? (first as unknown[])[0] : first) as Target | undefined;
    if (typeof target === 'object' && typeof target.host === 'string') {
      const port = localPort(target.host, Number(target.port), readAddresses);
      if (port !== undefined) Object.assign(target, { host: '127.0.0.1', port });
    }
    return connect.apply(this, args);
  };
}
