/** The types of image redaction. Every position is in pixels of the picture as it is seen: upright, from the top left. */

import type { Tenant } from '../ids.ts';

/** Formats that are read, and written again. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** An image file whose structure has been looked at, but not its pixels. */
export interface ImageFile {
  readonly format: ImageFormat;
  readonly bytes: Uint8Array;
  /**
   * May hold more than the picture: EXIF with a place, comments, a thumbnail, a colour profile, or bytes that nobody looks
   * at. It is written anew, without them, even where nothing is painted over.
   */
  readonly mayHaveExtraData: boolean;
  readonly isLossless: boolean;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Word {
  readonly text: string;
  readonly box: Box;
}

/** Words from left to right. */
export type Line = readonly Word[];

/** What was read in a picture. */
export interface OcrResult {
  /** What each way of looking at it gave: lines in reading order. */
  readonly passes: readonly (readonly Line[])[];
  /**
   * The picture was read in another form than it came in: laid on a ground since it is not opaque, reduced since it is
   * very large, or without what stands behind its pixels. What is read is what is sent, so it is sent in that form.
   */
  readonly isAltered: boolean;
}

/** For whom a picture is read or written. */
export interface ImageCaller {
  /** Tenants take turns. */
  readonly tenant: Tenant;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /**
   * The result is kept, and the caller comes back for it: a read that has begun goes on after the caller has left, as long
   * as no other picture waits. Default false: it ends at once.
   */
  readonly isCached?: boolean;
}

/** Reads pictures and paints them over, somewhere else than on the event loop. */
export interface ImageProcessor {
  /** @throws UnreadableImageError | ImagesBusyError | DetectorUnavailableError */
  read(picture: ImageFile, caller: ImageCaller): Promise<OcrResult>;
  /**
   * @returns the file anew, without metadata and with the boxes painted over.
   * @throws UnreadableImageError | ImagesBusyError | DetectorUnavailableError
   */
  rewrite(picture: ImageFile, boxes: readonly Box[], caller: ImageCaller): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What is wrong with an image that is refused, in words that complete "This request holds an image that …". */
export const IMAGE_PROBLEMS = {
  syntax: 'is neither a data URL in base64 nor a web address',
  empty: 'is empty',
  format: 'is not a PNG, JPEG or WebP file',
  type: 'is not of the type that it says it is',
  damaged: 'is damaged or incomplete',
  trailing: 'has something else behind its end',
  animated: 'is animated: send a still one',
  large: 'has too many pixels: send a smaller one',
  dense: 'holds more than can be read in time: send less of it',
  remote: 'is given by an address, where it cannot be looked into: send the image itself',
} as const;
export type ImageProblem = keyof typeof IMAGE_PROBLEMS;

/** An image that cannot be looked into: the request is refused. Holds nothing of the image. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
  readonly problem: ImageProblem;

  constructor(problem: ImageProblem) {
    super(`This request holds an image that ${IMAGE_PROBLEMS[problem]}.`);
    this.problem = problem;
  }
}

/** Images cannot be read in time: 429 to the caller, who may try again. Holds nothing of an image. */
export class ImagesBusyError extends Error {
  override readonly name = 'ImagesBusyError';
  /** `overloaded`: too many images wait. `timeout`: one image took too long. */
  readonly code: 'overloaded' | 'timeout';
  /** The estimated wait, in milliseconds. */
  readonly waitMs: number;

  constructor(code: 'overloaded' | 'timeout', message: string, waitMs: number) {
    super(message);
    this.code = code;
    this.waitMs = waitMs;
  }
}
