/**
 * Headers of JPEG files that decoders only warn of, and that every viewer shows: put right, so that a warning means that
 * pixels are missing. Pure.
 */
import { jpegSegments } from './inspect.ts';

/** @returns the file itself where there is nothing to put right, as in any file of another format. */
export function normalizeJpegHeaders(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return file;
  let copy: Buffer | undefined;
  let isSequential = false;
  const put = (at: number, value: number): void => {
    if (bytes[at] === value) return;
    copy ??= Buffer.from(bytes);
    copy[at] = value;
  };
  for (const { marker, at, end } of jpegSegments(bytes)) {
    isSequential ||= marker === 0xc0 || marker === 0xc1;
    // There is no JFIF of another major version than 1; some cameras write 2.
    if (marker === 0xe0 && bytes.toString('latin1', at + 4, at + 9) === 'JFIF\0') put(at + 9, 1);
    // A sequential scan always holds all 64 coefficients at once (ITU-T T.81, B.2.3); some phones write that it holds none.
    if (marker === 0xda && isSequential) {
      put(end - 3, 0);
      put(end - 2, 63);
      put(end - 1, 0);
    }
  }
  return copy ?? file;
}
