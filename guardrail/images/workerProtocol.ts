/** The messages between a worker thread and its owner. */
import type { Box, ImageFormat, ImageProblem, OcrResult } from './contract.ts';

export type Task =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly format: ImageFormat }
  | {
      readonly kind: 'rewrite';
      readonly bytes: Uint8Array;
      readonly boxes: readonly Box[];
      readonly format: ImageFormat;
      readonly isLossless: boolean;
    };

/** A message to a worker: a task, or the cancellation of the current read. */
export type WorkerMessage = Task | { readonly kind: 'stop' };

/** The result of a task. Any other failure ends the thread. */
export type Answer =
  | { readonly result: OcrResult }
  | { readonly bytes: Uint8Array }
  | { readonly problem: ImageProblem }
  | { readonly isStopped: true };

/** An answer to the current task of this kind. A worker runs at most one task of each kind at a time. */
export interface WorkerReply {
  readonly kind: Task['kind'];
  readonly answer: Answer;
}

export interface WorkerSettings {
  /** The processor time limit for reading one image, in milliseconds. */
  readonly budgetMs: number;
}
