import { hash, timingSafeEqual } from 'node:crypto';
import type { Tenant } from '../ids.ts';

/** Keys that callers may show, each under the name of its tenant. */
export interface ApiKeys {
  /** The tenant of a key, or undefined for a key that is not known. Takes the same time whichever it is. */
  tenantOf(presented: string): Tenant | undefined;
  /** Every name that a key is known under. */
  readonly tenants: ReadonlySet<Tenant>;
}

/** The tenant of keys that are given without a name. */
export const DEFAULT_TENANT = 'default' as Tenant;
const MIN_KEY_LENGTH = 8;
/** What a tenant, the name of an API key, may look like. */
export const TENANT_NAME = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Reads keys separated by commas or line ends: `name:key` or a bare key; a name may have several.
 * @throws Error with one sentence that does not repeat a key.
 */
export function parseApiKeys(text: string): ApiKeys {
  const entries = text
    .split(/[,\r\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw new Error('must hold at least one key, as name:key or a bare key');
  const known = entries.map((entry) => {
    const colon = entry.indexOf(':');
    const name = colon < 0 ? DEFAULT_TENANT : entry.slice(0, colon).trim();
    const key = entry.slice(colon + 1).trim();
    if (!TENANT_NAME.test(name)) {
      throw new Error('must have names of at most 64 letters, digits, dots, hyphens and underscores before the colon');
    }
    if (key.length < MIN_KEY_LENGTH || /[^\x21-\x7e]/.test(key)) {
      throw new Error(`must have keys of at least ${MIN_KEY_LENGTH} visible ASCII characters`);
    }
    return { tenant: name as Tenant, digest: sha256(key) };
  });
  for (const [at, { tenant, digest }] of known.entries()) {
    if (known.slice(0, at).some((other) => other.digest.equals(digest) && other.tenant !== tenant)) {
      throw new Error('must not have the same key under two names');
    }
  }
  return {
    tenants: new Set(known.map(({ tenant }) => tenant)),
    tenantOf(presented) {
      // Digests have one length, and every one of them is looked at.
      const digest = sha256(presented);
      let tenant: Tenant | undefined;
      for (const candidate of known) {
        if (timingSafeEqual(candidate.digest, digest)) tenant = candidate.tenant;
      }
      return tenant;
    },
  };
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
