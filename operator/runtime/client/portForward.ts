import { Duplex } from 'node:stream';
import { WebSocket, type Dispatcher } from 'undici';
import { ApiError } from './errors.ts';

/** Each message begins with its channel number. With one port, channel 0 carries data and channel 1 carries errors. */
const CHANNELS = { data: 0, error: 1 } as const;
/** The first message of each channel repeats the port. */
const PORT_BYTES = 2;
const SUBPROTOCOL = 'v4.channel.k8s.io';

/**
 * Opens a connection to a port of a pod through the API server and the kubelet, as `kubectl port-forward` does. Reaches ports
 * that listen on the pod's loopback only.
 * @param options `url`: the http or https URL of the pod's `portforward` subresource, with the port in its query
 * @throws ApiError if the connection fails; the stream ends with one if the connection is lost
 */
export async function openPortForward(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
}): Promise<Duplex> {
  const { url, headers, dispatcher, timeoutMs } = options;
  const { pathname } = new URL(url);
  const socket = new WebSocket(url.replace(/^http/, 'ws'), {
    protocols: [SUBPROTOCOL],
    headers: { ...headers },
    dispatcher,
  });
  socket.binaryType = 'arraybuffer';
  const failed = (why: string): ApiError =>
    new ApiError(`Port forwarding failed (GET ${pathname}): ${why}`, { status: 0 });
  const tunnel = new Tunnel(socket, failed);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      end('timed out');
    }, timeoutMs);
    const end = (why: string): void => {
      clearTimeout(timer);
      tunnel.destroy();
      reject(failed(why));
    };
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve();
    });
    // WebSocket clients cannot read the response to a rejected upgrade.
    const refused = 'the pod may be deleted, or the permission to create and get pods/portforward is missing';
    socket.addEventListener('error', () => {
      end(refused);
    });
    socket.addEventListener('close', () => {
      end(refused);
    });
  });
  return tunnel;
}

class Tunnel extends Duplex {
  readonly #socket: WebSocket;
  readonly #failed: (why: string) => ApiError;
  /** Channels that have not received their first message. */
  readonly #opening = new Set<number>(Object.values(CHANNELS));

  constructor(socket: WebSocket, failed: (why: string) => ApiError) {
    super();
    this.#socket = socket;
    this.#failed = failed;
    socket.addEventListener('message', ({ data }) => {
      this.#handleMessage(Buffer.from(data as ArrayBuffer));
    });
    socket.addEventListener('close', () => {
      this.push(null);
    });
  }

  #handleMessage(message: Buffer): void {
    const channel = message[0] ?? -1;
    const opening = this.#opening.delete(channel);
    const bytes = message.subarray(1 + (opening ? PORT_BYTES : 0));
    if (bytes.length === 0) return;
    if (channel === CHANNELS.data) this.push(bytes);
    else if (channel === CHANNELS.error) this.destroy(this.#failed(bytes.toString()));
  }

  override _read(): void {
    // Messages are pushed on arrival, without backpressure: responses are small.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(CHANNELS.data), chunk]));
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.close();
    done(error);
  }
}
