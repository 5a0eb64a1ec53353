/**
 * Monitor mode: what the guardrail would do, without doing it. The guards below know nothing of it: they work on a store
 * and on an image reader that change nothing, and {@link createMonitor} drops what they answer.
 */
import type { Guard } from '../pseudonymization/pseudonymization.ts';
import type { ImageProcessor } from '../images/images.ts';
import type { MappingStore } from '../store/store.ts';

/**
 * @param guard the guard whose outcomes are counted and not applied
 * @param texts the guard of texts alone, for a request that is refused unread: its entities count all the same
 */
export function createMonitor(guard: Guard, texts: Guard): Guard {
  return {
    async request(document, context) {
      const outcome = await guard.request(document, context);
      const { action, session } = outcome;
      if (action === 'NONE') return outcome;
      const isUnread = action === 'BLOCKED' && outcome.entities.length === 0;
      const { entities } = isUnread ? await texts.request(document, context) : outcome;
      return { session, entities, action: 'NONE', monitored: action };
    },
    /** Nothing was replaced, so there is nothing to restore. */
    response(document, { identity }) {
      const session = guard.sessionOf(identity);
      const holdback = document.texts.map(() => 0);
      return Promise.resolve({ ...document, session, action: 'NONE', holdback, restored: 0, withheld: 0, unknown: 0 });
    },
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}

/** A store that keeps nothing. Where something would be kept it asks whether the real one answers, which is then counted. */
export function withoutWrites(store: MappingStore): MappingStore {
  return {
    fence: () => store.fence(),
    async put() {
      await store.ping();
      return { kind: 'stored' };
    },
    get: () => Promise.resolve(new Map()),
    eraseSession: (session) => store.eraseSession(session),
    eraseSubject: (subject) => store.eraseSubject(subject),
    describe: (session) => store.describe(session),
    count: () => store.count(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

/** A reader of images that rewrites none. */
export function withoutRewrites(reader: ImageProcessor): ImageProcessor {
  return {
    read: (picture, caller) => reader.read(picture, caller),
    rewrite: ({ bytes }) => Promise.resolve(bytes),
    close: () => reader.close(),
  };
}
