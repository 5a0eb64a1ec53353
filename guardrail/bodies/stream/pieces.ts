import { UnreadableAnswerError } from '../errors.ts';
import { decodeUtf8 } from '../text.ts';

/** The maximum size of one event, in bytes. An event can carry a whole answer or an image. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Collects the chunks of one frame without copying them until it is complete. */
export class Pieces {
  private pieces: Buffer[] = [];
  private size = 0;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** @throws UnreadableAnswerError if the frame is too large */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size > MAX_EVENT_BYTES) throw new UnreadableAnswerError('has an event that is too large');
  }

  /** @returns the text of the frame, and begins the next one. @throws UnreadableAnswerError if it is not UTF-8 */
  take(): string {
    const [first, ...others] = this.pieces;
    const text = decodeUtf8(first && others.length === 0 ? first : Buffer.concat(this.pieces));
    this.pieces = [];
    this.size = 0;
    if (text === undefined) throw new UnreadableAnswerError('is not valid UTF-8');
    return text;
  }
}
