import { hash, timingSafeEqual } from 'node:crypto';
import type { Tenant } from '../ids.ts';
import { entriesOf } from './values.ts';

/** The API keys of the callers. Each belongs to a tenant. */
export interface ApiKeys {
  /** Returns the tenant of a key, or undefined for an unknown key. Takes the same time in both cases. */
  tenantOf(presented: string): Tenant | undefined;
  readonly tenants: ReadonlySet<Tenant>;
}

/** The tenant of keys without a name. */
export const DEFAULT_TENANT = 'default' as Tenant;
const MIN_KEY_LENGTH = 8;
/** The format of a tenant, which is the name of an API key. */
export const TENANT_NAME = /^[A-Za-z0-9._-]{1,64}$/;

interface Entry {
  readonly tenant: Tenant;
  readonly digest: Buffer;
}

/**
 * Reads keys separated by commas or line ends, each as `name:key` or only the key. A name may have several keys.
 * @throws Error that completes the sentence "<setting> …" and does not repeat a key.
 */
export function parseApiKeys(text: string): ApiKeys {
  const entries = entriesOf(text).map(parseEntry);
  if (entries.length === 0) throw new Error('must contain at least one key, as name:key or only the key');
  for (const [at, { tenant, digest }] of entries.entries()) {
    if (entries.slice(0, at).some((other) => other.digest.equals(digest) && other.tenant !== tenant)) {
      throw new Error('must not contain the same key under two names');
    }
  }
  // Written anew by each call. A buffer of its own for each call would be memory outside the heap.
  const digest = Buffer.alloc(32);
  return {
    tenants: new Set(entries.map(({ tenant }) => tenant)),
    tenantOf(presented) {
      // No early exit: the time must not depend on the key.
      digest.write(hash('sha256', presented, 'latin1'), 'latin1');
      let tenant: Tenant | undefined;
      for (const candidate of entries) {
        if (timingSafeEqual(candidate.digest, digest)) tenant = candidate.tenant;
      }
      return tenant;
    },
  };
}

function parseEntry(entry: string): Entry {
  const colon = entry.indexOf(':');
  const name = colon < 0 ? DEFAULT_TENANT : entry.slice(0, colon).trim();
  const key = entry.slice(colon + 1).trim();
  if (!TENANT_NAME.test(name)) {
    throw new Error('must contain names of at most 64 letters, digits, dots, hyphens and underscores before the colon');
  }
  if (key.length < MIN_KEY_LENGTH || /[^\x21-\x7e]/.test(key)) {
    throw new Error(`must contain keys of at least ${MIN_KEY_LENGTH} visible ASCII characters`);
  }
  return { tenant: name as Tenant, digest: sha256(key) };
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
