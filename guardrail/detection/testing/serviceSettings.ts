/** Test support: the settings of a service, as the program has them by default. */
import type { ServiceSettings } from '../policy/strictness.ts';

export const testSettings: ServiceSettings = {
  profile: 'personal',
  recall: 'balanced',
  images: 'redact',
  remoteImages: 'block',
  unreadText: 'mask',
  mode: 'enforce',
  mappingTTL: 86_400_000,
};
