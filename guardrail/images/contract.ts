/** The types of image redaction. All positions are pixels of the displayed, upright image, from the top left. */

import type { Tenant } from '../ids.ts';
import type { Rectangle } from './geometry.ts';

/** The supported formats. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** An image file with a valid structure. Its pixels are not decoded yet. */
export interface ImageFile {
  readonly format: ImageFormat;
  readonly bytes: Uint8Array;
  /**
   * The file may contain EXIF data with a location, comments, a thumbnail, a color profile or unused bytes. It is
   * encoded again without them, even if nothing is redacted.
   */
  readonly mayHaveExtraData: boolean;
  readonly isLossless: boolean;
}

/** A word of a line. Its ends are shares of the width of the line. */
export interface TextWord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export interface TextLine {
  /** The area of the line, slightly higher than its letters. Its direction is that of the text. */
  readonly box: Rectangle;
  readonly words: readonly TextWord[];
  /** The line was found, but it was not read, or what was read is not reliable. */
  readonly isUnread: boolean;
}

/** The text of an image. */
export interface OcrResult {
  /** The direction in which most lines run, in radians, clockwise from the right. */
  readonly angle: number;
  readonly lines: readonly TextLine[];
  /**
   * OCR read a changed image: with a background instead of transparency, with fewer pixels, or without data after the
   * pixels. The model must see what OCR read, so this form is sent.
   */
  readonly isAltered: boolean;
}

/** The call that an image belongs to. */
export interface ImageCaller {
  /** For the fair queue. */
  readonly tenant: Tenant;
  /** Aborted when the call ends. */
  readonly signal: AbortSignal;
  /**
   * The result is cached for a retry of the caller: a running read continues after the call has ended, while no other
   * image waits. Default false: the read is cancelled.
   */
  readonly isCached?: boolean;
}

/** Reads and redacts images, off the event loop. */
export interface ImageProcessor {
  /** @throws UnreadableImageError | ImagesBusyError | DetectorUnavailableError */
  read(image: ImageFile, caller: ImageCaller): Promise<OcrResult>;
  /**
   * @returns the file without metadata and with painted areas.
   * @throws UnreadableImageError | ImagesBusyError | DetectorUnavailableError
   */
  rewrite(image: ImageFile, areas: readonly Rectangle[], caller: ImageCaller): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The reasons to refuse an image. Each continues the sentence "The request contains an image that …". */
export const IMAGE_PROBLEMS = {
  syntax: 'is neither a base64 data URL nor a web URL',
  empty: 'is empty',
  format: 'is not a PNG, JPEG or WebP file',
  type: 'does not have its declared media type',
  damaged: 'is damaged or incomplete',
  trailing: 'has data after its end',
  animated: 'is animated: send a still image',
  large: 'has too many pixels: send a smaller image',
  dense: 'contains too much text: send a part of it',
  unread: 'has text that cannot be read: send a clearer image',
  remote: 'is referenced by URL and cannot be inspected: send the image data instead',
} as const;
export type ImageProblem = keyof typeof IMAGE_PROBLEMS;

/** An image cannot be analyzed, so the request is refused. The message contains nothing of the image. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
  readonly problem: ImageProblem;

  constructor(problem: ImageProblem) {
    super(`The request contains an image that ${IMAGE_PROBLEMS[problem]}.`);
    this.problem = problem;
  }
}

/** Images cannot be read in time. The caller receives 429 and can retry. Contains nothing of the image. */
export class ImagesBusyError extends Error {
  override readonly name = 'ImagesBusyError';
  /** `overloaded`: too many images are waiting. `timeout`: one image exceeded its time limit. */
  readonly code: 'overloaded' | 'timeout';
  /** The estimated wait, in milliseconds. */
  readonly waitMs: number;

  constructor(code: 'overloaded' | 'timeout', message: string, waitMs: number) {
    super(message);
    this.code = code;
    this.waitMs = waitMs;
  }
}
