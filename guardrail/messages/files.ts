import type { Steps } from '../eventLoop.ts';
import type { Json } from './contract.ts';
import { visitingMessages } from './messageVisitor.ts';

/**
 * Finds out whether messages contain or refer to a file or a recording, at any depth, in steps.
 * @throws DocumentTooDeepError
 */
export function* findingFiles(messages: readonly Json[]): Steps<boolean> {
  let files = 0;
  const file = (): void => {
    files++;
  };
  yield* visitingMessages(messages, { file }, 'structured_messages');
  return files > 0;
}
