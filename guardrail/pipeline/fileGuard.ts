import { refuse, type Guard } from '../pseudonymization/pseudonymization.ts';
import { hasFiles } from '../messages/messages.ts';

export interface FileGuardOptions {
  readonly files: 'block' | 'pass';
}

const REFUSED =
  'The request contains a file, a recording or a video, or a text as numbers of tokens, which cannot be checked for personal data. Send the text instead.';

/** Creates a guard that blocks requests with a file or a recording. */
export function createFileGuard(guard: Guard, { files }: FileGuardOptions): Guard {
  return {
    async request(document, context) {
      const isRefused =
        (files === 'block' || context.stricter?.images === 'block') &&
        (document.hasFiles === true || hasFiles(document.structuredMessages ?? []));
      return isRefused ? refuse(guard, context, REFUSED) : guard.request(document, context);
    },
    response: (document, context) => guard.response(document, context),
    stream: (context) => guard.stream(context),
    piece: (piece, context) => guard.piece(piece, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}
