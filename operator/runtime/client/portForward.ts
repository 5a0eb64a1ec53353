import { Duplex } from 'node:stream';
import { WebSocket, type Dispatcher } from 'undici';
import { ApiError } from './errors.ts';

/** Each message begins with its channel; of a single port, data go over the first, what went wrong over the second. */
const CHANNELS = { data: 0, error: 1 } as const;
/** The first message of each channel names the port again. */
const PORT_BYTES = 2;
const SUBPROTOCOL = 'v4.channel.k8s.io';

/**
 * Opens a connection to a port of a pod through the API server and the kubelet: as `kubectl port-forward` does, and so
 * also to what listens on the pod's loopback alone.
 * @param options `url`: of the pod's subresource `portforward` with the port as its query, as http or https
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
    // The answer to a refused upgrade is not shown to scripts.
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
  /** Channels of which the first message is still to come. */
  readonly #opening = new Set<number>(Object.values(CHANNELS));

  constructor(socket: WebSocket, failed: (why: string) => ApiError) {
    super();
    this.#socket = socket;
    this.#failed = failed;
    socket.addEventListener('message', ({ data }) => {
      this.#take(Buffer.from(data as ArrayBuffer));
    });
    socket.addEventListener('close', () => {
      this.push(null);
    });
  }

  #take(message: Buffer): void {
    const channel = message[0] ?? -1;
    const opening = this.#opening.delete(channel);
    const bytes = message.subarray(1 + (opening ? PORT_BYTES : 0));
    if (bytes.length === 0) return;
    if (channel === CHANNELS.data) this.push(bytes);
    else if (channel === CHANNELS.error) this.destroy(this.#failed(bytes.toString()));
  }

  override _read(): void {
    // What comes is pushed when it comes: answers are small.
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
