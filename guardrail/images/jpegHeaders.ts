/**
 * Corrects JPEG headers that every viewer accepts and decoders only warn about. After that, a warning means that pixels are
 * missing. Pure.
 */
import { jpegSegments } from './inspect.ts';

/** @returns the same object if nothing needs a correction or if the file is not a JPEG. */
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
    // The only major version of JFIF is 1; some cameras write 2.
    if (marker === 0xe0 && bytes.toString('latin1', at + 4, at + 9) === 'JFIF\0') put(at + 9, 1);
    // A sequential scan always has all 64 coefficients (ITU-T T.81, B.2.3); some phones write zero.
    if (marker === 0xda && isSequential) {
      put(end - 3, 0);
      put(end - 2, 63);
      put(end - 1, 0);
    }
  }
  return copy ?? file;
}
