import { refuse, type Guard } from '../pseudonymization/pseudonymization.ts';
import { holdsFiles } from '../messages/messages.ts';

export interface FileGuardOptions {
  readonly files: 'block' | 'pass';
}

const REFUSED =
  'This request holds a file, a recording or a video, in which personal data cannot be found: send its text instead.';

/** A guard that lets no request with a file or a recording through unseen. */
export function createFileGuard(guard: Guard, { files }: FileGuardOptions): Guard {
  return {
    async request(document, context) {
      const isRefused =
        (files === 'block' || context.stricter?.images === 'block') && holdsFiles(document.structuredMessages ?? []);
      return isRefused ? refuse(guard, context, REFUSED) : guard.request(document, context);
    },
    response: (document, context) => guard.response(document, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}
