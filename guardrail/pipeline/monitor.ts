/**
 * Monitor mode: reports what the guardrail would do, without doing it. The guards do not know the mode. They use a store
 * and an image reader that change nothing, and {@link createMonitor} discards their changes.
 */
import { unchangedAnswer, type Guard } from '../pseudonymization/pseudonymization.ts';
import type { ImageProcessor } from '../images/images.ts';
import type { MappingStore } from '../store/store.ts';

/**
 * Creates a guard that reports outcomes without applying them.
 * @param guard the guard whose outcomes are reported. Its store is {@link withoutWrites}: it restores nothing.
 * @param texts the guard of texts alone. Counts the entities of a request that `guard` blocks before the analysis.
 */
export function createMonitor(guard: Guard, texts: Guard): Guard {
  return {
    async request(document, context) {
      const outcome = await guard.request(document, context);
      const { action, session, unreadLines } = outcome;
      if (action === 'NONE') return outcome;
      const isUnread = action === 'BLOCKED' && outcome.entities.length === 0;
      const { entities } = isUnread ? await texts.request(document, context) : outcome;
      return {
        session,
        entities,
        ...(unreadLines !== undefined && { unreadLines }),
        action: 'NONE',
        monitored: action,
      };
    },
    /** Restores nothing, because nothing was replaced. Who asks for values gets to know that there are none. */
    response(document, context) {
      const { identity, mayShow } = context;
      if (mayShow) return guard.response(document, context);
      const session = guard.sessionOf(identity);
      const holdback = document.texts.map(() => 0);
      return Promise.resolve({ ...document, session, action: 'NONE', holdback, restored: 0, withheld: 0, unknown: 0 });
    },
    stream: () => unchangedAnswer(),
    /** Ends a text that began in enforce mode. */
    async piece(piece, context) {
      const session = guard.sessionOf(context.identity);
      const unchanged = { session, text: piece.text, carry: '', ...unchangedAnswer().counts() };
      return piece.carry === ''
        ? unchanged
        : { ...unchanged, text: (await guard.piece({ ...piece, isLast: true }, context)).text };
    },
    sessionOf: (identity) => guard.sessionOf(identity),
  };
}

/** A store that saves nothing. Instead of a write it pings the real store, so that failures are counted. */
export function withoutWrites(store: MappingStore): MappingStore {
  return {
    fence: () => store.fence(),
    assertReachable: () => {
      store.assertReachable();
    },
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

/** An image reader that rewrites nothing. */
export function withoutRewrites(reader: ImageProcessor): ImageProcessor {
  return {
    read: (image, caller) => reader.read(image, caller),
    rewrite: ({ bytes }) => Promise.resolve(bytes),
    close: () => reader.close(),
  };
}
