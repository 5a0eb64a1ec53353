import { refuse, type Guard, type RequestOutcome } from '../pseudonymization/pseudonymization.ts';
import { createYielder } from '../eventLoop.ts';
import { hasFiles } from '../messages/messages.ts';

export interface FileGuardOptions {
  /** Files are refused unless images pass. The setting of the service, if the policy does not say it. */
  readonly images: 'redact' | 'block' | 'pass';
}

const REFUSED =
  'The request contains a file, a recording or a video, or a text as numbers of tokens, which cannot be checked for personal data. Send the text instead.';

/** Creates a guard that blocks requests with a file or a recording. */
export function createFileGuard(guard: Guard, options: FileGuardOptions): Guard {
  return {
    request(document, context) {
      const yieldIfDue = createYielder();
      const images = context.policy?.settings.images ?? options.images;
      const isRefused =
        (images !== 'pass' || context.stricter?.images === 'block') &&
        (document.hasFiles === true || hasFiles(document.structuredMessages ?? []));
      if (isRefused) return Promise.resolve(refuse(guard, context, REFUSED));
      // An object with many members takes as long here as in the next stage.
      const next = (): Promise<RequestOutcome> => guard.request(document, context);
      return yieldIfDue()?.then(next) ?? next();
    },
    response: (document, context) => guard.response(document, context),
    stream: (context) => guard.stream(context),
    piece: (piece, context) => guard.piece(piece, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}
