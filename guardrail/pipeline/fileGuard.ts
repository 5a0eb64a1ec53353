import { refuse, type Guard, type RequestOutcome } from '../pseudonymization/pseudonymization.ts';
import { inSlices } from '../eventLoop.ts';
import { findingFiles } from '../messages/messages.ts';

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
      const images = context.policy?.settings.images ?? options.images;
      if (images === 'pass' && context.stricter?.images !== 'block') return guard.request(document, context);
      const next = (hasFiles: boolean): Promise<RequestOutcome> =>
        hasFiles ? Promise.resolve(refuse(guard, context, REFUSED)) : guard.request(document, context);
      if (document.hasFiles === true) return next(true);
      const found = inSlices(findingFiles(document.structuredMessages ?? []));
      return found instanceof Promise ? found.then(next) : next(found);
    },
    response: (document, context) => guard.response(document, context),
    stream: (context) => guard.stream(context),
    piece: (piece, context) => guard.piece(piece, context),
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}
