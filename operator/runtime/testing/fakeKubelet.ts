import { createServer } from 'node:https';
import { connect } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { listen } from '../../../hack/harness/gateway/listen.ts';

/** A kubelet that only forwards ports of pods, to ports of this machine. */
export interface FakeKubelet {
  readonly port: number;
  /** Maps `pod:port` to a port of 127.0.0.1. Connections to other ports are refused. */
  readonly ports: Map<string, number>;
  stop(): Promise<void>;
}

/** @param certificate the kubelet's certificate; the API server accepts any */
export async function startFakeKubelet(certificate: {
  readonly cert: string;
  readonly key: string;
}): Promise<FakeKubelet> {
  const ports = new Map<string, number>();
  const server = createServer(certificate);
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v4.channel.k8s.io' });
  sockets.on('connection', (socket, { url }) => {
    const { pathname, searchParams } = new URL(url ?? '', 'https://kubelet');
    const pod = pathname.split('/').at(-1) ?? '';
    const port = searchParams.get('port') ?? '';
    forward(socket, Number(port), ports.get(`${pod}:${port}`));
  });
  const { port, stop } = await listen(server);
  return {
    port,
    ports,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await stop();
    },
  };
}

function forward(socket: WebSocket, port: number, localPort: number | undefined): void {
  const announced = Buffer.alloc(2);
  announced.writeUInt16LE(port);
  for (const channel of [0, 1]) socket.send(Buffer.concat([Buffer.of(channel), announced]));
  if (localPort === undefined) {
    socket.send(Buffer.concat([Buffer.of(1), Buffer.from('connection refused')]));
    socket.close();
    return;
  }
  const connection = connect(localPort, '127.0.0.1');
  connection.on('data', (data: Buffer) => {
    socket.send(Buffer.concat([Buffer.of(0), data]));
  });
  connection.on('error', () => {
    socket.close();
  });
  connection.on('close', () => {
    socket.close();
  });
  socket.on('message', (message: Buffer) => {
    if (message[0] === 0) connection.write(message.subarray(1));
  });
  socket.on('close', () => {
    connection.destroy();
  });
}
