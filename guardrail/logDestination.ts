import { destination, type DestinationStream } from 'pino';

/** How long a line waits for others. A write for each line takes a tenth of the processor time of a call. */
const HELD_MS = 10;
/** Lines are written at once when they have this size. */
const HELD_BYTES = 65_536;
/** A pipe takes up to 4096 bytes without those of another process between them. */
const ATOMIC_BYTES = 4096;

/**
 * Where the log is written. Its lines leave the process together, in their order, at the latest when it exits. The lines of the
 * exit can overtake a write that is in progress.
 */
export interface LogDestination extends DestinationStream {
  flushSync(): void;
}

/** @param isShared other processes write to the same file or pipe: their lines must not mix */
export function openLogDestination(fd: number, isShared = false): LogDestination {
  const maxBytes = isShared ? ATOMIC_BYTES : HELD_BYTES;
  const stream = destination({ dest: fd, maxWrite: maxBytes });
  let held = '';
  let heldBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = held;
    [held, heldBytes] = ['', 0];
    if (lines !== '') stream.write(lines);
  };
  // Before pino, which listens too, flushes the stream.
  process.prependListener('exit', write);
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (heldBytes + bytes > maxBytes) write();
      held += line;
      heldBytes += bytes;
      // Not unref(): a process that has nothing else to do still writes its last lines.
      timer ??= setTimeout(write, HELD_MS);
    },
    flushSync() {
      write();
      stream.flushSync();
    },
  };
}
