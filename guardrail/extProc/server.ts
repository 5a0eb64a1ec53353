/** The gRPC server. The sockets are the service's own, so that certificates can change while it runs. */
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  abandonHandshakes,
  followFiles,
  listenProblem,
  openConnections,
  serverOptions,
  type Listening,
  type TlsFiles,
} from '../http/http.ts';
import { externalProcessor } from './descriptor.ts';
import type { ProcessorCall } from './stream.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** undefined: without TLS. */
  readonly tls: TlsFiles | undefined;
}

export interface ServerOptions {
  /** The largest request body, in bytes. */
  readonly maxBody: number;
}

export interface ProcessorServer {
  /** @throws Error with one sentence if it cannot listen */
  listen(address: ListenAddress): Promise<Listening>;
  /** Asks the clients to open their next streams on another connection. */
  goAway(): void;
}

/** What a message has besides a body. */
const MESSAGE_OVERHEAD = 1024 * 1024;
/** How often a silent connection is probed, and how long the answer may take, in milliseconds. */
const PROBE_MS = 60_000;
const PROBE_TIMEOUT_MS = 20_000;
/** Time limit of a TLS handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Streams that began before {@link ProcessorServer.goAway} may go on for as long as a model writes, in milliseconds. */
const GO_AWAY_MS = 3_600_000;

export function createServer(handle: (call: ProcessorCall) => void, { maxBody }: ServerOptions): ProcessorServer {
  const grpc = new GrpcServer({
    'grpc.max_receive_message_length': maxBody + MESSAGE_OVERHEAD,
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': PROBE_MS,
    'grpc.keepalive_timeout_ms': PROBE_TIMEOUT_MS,
    'grpc.enable_channelz': 0,
  });
  grpc.addService(externalProcessor(), { process: handle });
  // TLS, if any, ends before: to this server, all connections are plain.
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    injector.injectConnection(socket);
  };
  return {
    async listen({ host, port, tls }) {
      const server = tls ? tlsServer(tls, accept) : createTcpServer({ noDelay: true }, accept);
      const connections = openConnections(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => {
          reject(new Error(listenProblem(error, { host, port, setting: 'GUARDRAIL_EXT_PROC_PORT' })));
        });
        server.listen(port, host, resolve);
      });
      return {
        port: (server.address() as AddressInfo).port,
        close: async (graceMs) => {
          injector.drain(GO_AWAY_MS);
          await close(server, { connections, sockets }, graceMs);
          grpc.forceShutdown();
        },
      };
    },
    goAway: () => {
      injector.drain(GO_AWAY_MS);
    },
  };
}

function tlsServer(files: TlsFiles, accept: (socket: Socket) => void): Server {
  const server = createTlsServer(
    { ...serverOptions(files, 'h2'), handshakeTimeout: HANDSHAKE_TIMEOUT_MS, noDelay: true },
    accept,
  );
  // A client that fails the handshake. Node has closed its connection.
  server.on('tlsClientError', () => undefined);
  followFiles(server, files);
  return server;
}

interface Open {
  /** The connections below TLS. */
  readonly connections: ReadonlySet<Socket>;
  /** The connections that speak gRPC. */
  readonly sockets: ReadonlySet<Socket>;
}

async function close(server: Server, { connections, sockets }: Open, graceMs: number): Promise<void> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<undefined>();
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
    abandonHandshakes(connections);
    expire(undefined);
  }, graceMs);
  await Promise.race([closed, expired]);
  clearTimeout(timer);
}
