import type { Guard } from './core/core.ts';
import { holdsFiles } from './protocol/protocol.ts';

export interface FileGuardOptions {
  readonly files: 'block' | 'pass';
  readonly mode: 'enforce' | 'monitor';
}

const REFUSED =
  'This request holds a file, a recording or a video, in which personal data cannot be found: send its text instead.';

/** A guard that lets no request with a file or a recording through unseen. */
export function createFileGuard(guard: Guard, { files, mode }: FileGuardOptions): Guard {
  return {
    async request(document, context) {
      const isRefused = (files === 'block' || context.blockImages) && holdsFiles(document.structuredMessages ?? []);
      if (!isRefused) return guard.request(document, context);
      // The texts are looked at all the same where nothing is refused in earnest.
      if (mode === 'monitor') return { ...(await guard.request(document, context)), monitored: 'BLOCKED' };
      return { session: guard.sessionOf(context.identity), entities: [], action: 'BLOCKED', blockedReason: REFUSED };
    },
    response: (document, context) => guard.response(document, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}
