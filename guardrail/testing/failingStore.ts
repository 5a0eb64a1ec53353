/** Test support: a guard whose store fails while answers are restored. */
import { createGuard, type Guard, type GuardOptions } from '../pseudonymization/pseudonymization.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** @param isDown whether the values of pseudonyms cannot be read now */
export function guardWithFailingStore(options: GuardOptions, isDown: () => boolean): Guard {
  const { store } = options;
  return createGuard({
    ...options,
    store: {
      ...store,
      fence: () => store.fence(),
      assertReachable: () => {
        store.assertReachable();
      },
      put: (entry) => store.put(entry),
      get: (session, pseudonyms) =>
        isDown()
          ? Promise.reject(new StoreUnavailableError('The mapping store is down.'))
          : store.get(session, pseudonyms),
    },
  });
}
