import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** A parsed address of Redis. */
export interface RedisAddress {
  readonly topology: 'standalone' | 'sentinel' | 'cluster';
  /** The servers, or with Sentinel the sentinels. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  /** With Sentinel: the name of the monitored master. */
  readonly master: string | undefined;
  readonly sentinelPassword: string | undefined;
  readonly tls: ConnectionOptions | undefined;
}

/** The forms of an address, for help and messages. */
export const REDIS_ADDRESS_FORMS =
  'redis://[user:password@]host:port[/db], redis+sentinel://host:port,host:port/master[/db] or ' +
  'redis+cluster://host:port,host:port. For TLS, use rediss instead of redis, with PEM files in ?ca=, ?cert= and ?key=';

const SHAPE = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const PARAMETERS = new Set(['ca', 'cert', 'key', 'servername', 'sentinel_password']);

/**
 * @throws Error whose message continues "The address …" without repeating the address, which may contain a password.
 */
export function parseRedisAddress(address: string): RedisAddress {
  const match = SHAPE.exec(address);
  if (!match) throw new Error(`must have one of these forms: ${REDIS_ADDRESS_FORMS}`);
  const [, scheme, kind, credentials, hostList, path, query] = match;
  const parameters = new URLSearchParams(query ?? '');
  for (const name of parameters.keys()) {
    if (PARAMETERS.has(name)) continue;
    throw new Error(`has an unknown parameter: use only ${[...PARAMETERS].join(', ')}`);
  }
  const topology = kind === 'sentinel' || kind === 'cluster' ? kind : 'standalone';
  const hosts = (hostList ?? '').split(',').map((host) => parseHost(host, topology === 'sentinel' ? 26379 : 6379));
  if (topology === 'standalone' && hosts.length > 1) {
    throw new Error('has several hosts: use redis+cluster:// or redis+sentinel://');
  }
  const segments = (path ?? '').split('/').filter((segment) => segment !== '');
  const master = topology === 'sentinel' ? segments.shift() : undefined;
  if (topology === 'sentinel' && master === undefined) {
    throw new Error('must contain the name of the Sentinel master: redis+sentinel://host:port/name');
  }
  const db = segments[0] ?? '0';
  if (!/^\d{1,4}$/.test(db) || segments.length > 1 || (topology === 'cluster' && db !== '0')) {
    throw new Error('must end with the number of a database, or without a number for a Cluster');
  }
  const colon = credentials?.indexOf(':') ?? -1;
  return {
    topology,
    hosts,
    username: colon > 0 ? decode(credentials?.slice(0, colon)) : undefined,
    password: colon >= 0 ? decode(credentials?.slice(colon + 1)) : decode(credentials),
    db: Number(db),
    master,
    sentinelPassword: parameters.get('sentinel_password') ?? undefined,
    tls: scheme === 'rediss' ? tlsOptions(parameters) : undefined,
  };
}

function parseHost(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? defaultPort);
  if (host === undefined || port < 1 || port > 65535) {
    throw new Error('has an invalid host: use host or host:port');
  }
  return { host, port };
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has an invalid % escape in its user or password: use % and two hexadecimal digits');
  }
}

function tlsOptions(parameters: URLSearchParams): ConnectionOptions {
  const options: ConnectionOptions = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const file = parameters.get(name);
    if (file === null) continue;
    try {
      options[name] = readFileSync(file);
    } catch {
      throw new Error(`names a file in ?${name}= that cannot be read`);
    }
  }
  const servername = parameters.get('servername');
  if (servername !== null) options.servername = servername;
  return options;
}
