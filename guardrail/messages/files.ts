import type { Json } from './contract.ts';
import { visitMessages } from './messageVisitor.ts';

/**
 * Whether messages contain or refer to a file or a recording, at any depth.
 * @throws DocumentTooDeepError
 */
export function hasFiles(messages: readonly Json[]): boolean {
  let files = 0;
  const file = (): void => {
    files++;
  };
  visitMessages(messages, { file }, 'structured_messages');
  return files > 0;
}
