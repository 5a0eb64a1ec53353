/** The messages between the process for images and its owner. */
import type { ImageFormat, ImageProblem, OcrResult } from './contract.ts';
import type { Rectangle } from './geometry.ts';

export type Task =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly format: ImageFormat }
  | {
      readonly kind: 'rewrite';
      readonly bytes: Uint8Array;
      readonly areas: readonly Rectangle[];
      readonly format: ImageFormat;
      readonly isLossless: boolean;
    };

/** A message to the process: a task, or the cancellation of the current read. */
export type WorkerMessage = Task | { readonly kind: 'stop' };

/** The result of a task. Any other failure ends the process. */
export type Answer =
  | { readonly result: OcrResult }
  | { readonly bytes: Uint8Array }
  | { readonly problem: ImageProblem }
  | { readonly isStopped: true };

/**
 * A message about the current task of this kind: its answer, or that a part of it is done. The process runs at most one task
 * of each kind at a time.
 */
export interface WorkerReply {
  readonly kind: Task['kind'];
  readonly answer?: Answer;
}
