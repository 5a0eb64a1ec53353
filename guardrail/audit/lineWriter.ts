/** Appends lines to standard output, standard error or a file, without blocking the event loop. */
import {
  close as closeFd,
  fstat,
  fstatSync,
  open as openFd,
  read as readFd,
  stat,
  write as writeFd,
  type Stats,
} from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { LineOutput } from './contract.ts';

const [close, open, read, write, statOf, statAt] = [
  promisify(closeFd),
  promisify(openFd),
  promisify(readFd),
  promisify(writeFd),
  promisify<number, Stats>(fstat),
  promisify<string, Stats>(stat),
];

/** Writes whole lines. One call at a time. */
export interface LineWriter {
  /** @param lines each ends with a line feed. Rejects if not all of them are written. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

export function openLineWriter(output: LineOutput): LineWriter {
  return output.kind === 'file' ? new FileWriter(output.path) : openStream(output.kind === 'stdout' ? 1 : 2);
}

/** Opens standard output or standard error. A container has a pipe there, whose reader can be slow. */
function openStream(fd: 1 | 2): LineWriter {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket() ? new PipeWriter(fd) : new DescriptorWriter(fd);
}

/** Writes to a pipe. A reader that has stopped holds no thread, and does not keep the process from its end. */
class PipeWriter implements LineWriter {
  readonly #pipe: Socket;

  constructor(fd: number) {
    this.#pipe = new Socket({ fd, readable: false, writable: true });
    // Each write reports its own error.
    this.#pipe.on('error', () => undefined);
  }

  write(lines: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pipe.write(lines, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  close(): Promise<void> {
    this.#pipe.destroy();
    return Promise.resolve();
  }
}

/** Writes to a file or a terminal that the process was started with. */
class DescriptorWriter implements LineWriter {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(lines: string): Promise<void> {
    return writeAll(this.#fd, lines);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function writeAll(fd: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += (await write(fd, bytes, at, bytes.length - at, null)).bytesWritten;
}

interface OpenFile {
  readonly fd: number;
  /** Identifies the file: after a rotation, another one has its name. */
  readonly stats: Stats;
}

/** Only the user of the service may read the events. */
const MODE = 0o600;
const LINE_FEED = 0x0a;

class FileWriter implements LineWriter {
  readonly #path: string;
  #file: OpenFile | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async write(lines: string): Promise<void> {
    const { fd } = await this.#current();
    try {
      await writeAll(fd, lines);
    } catch (error) {
      // The next call opens the file again, and ends a line that was written in part.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file) await close(file.fd);
  }

  /** The file that has the name now. */
  async #current(): Promise<OpenFile> {
    const named = await statAt(this.#path).catch(() => undefined);
    const known = this.#file;
    if (known && named?.ino === known.stats.ino && named.dev === known.stats.dev) return known;
    await this.close();
    const fd = await open(this.#path, 'a+', MODE);
    this.#file = { fd, stats: await statOf(fd) };
    await this.#endLine(this.#file);
    return this.#file;
  }

  /** A process that was killed, or a full disk, can leave a part of a line. */
  async #endLine({ fd, stats: { size } }: OpenFile): Promise<void> {
    if (size === 0) return;
    const { bytesRead, buffer } = await read(fd, Buffer.alloc(1), 0, 1, size - 1);
    if (bytesRead === 1 && buffer[0] !== LINE_FEED) await writeAll(fd, '\n');
  }
}
