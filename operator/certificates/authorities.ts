/** The authorities of an instance as text, and their next state. */
import { createAuthority, parseAuthority, type Authority, type AuthoritySubject } from './issue.ts';
import { issuerOf, needsAuthority, published } from './rotation.ts';

/** Reads what {@link writeAuthorities} has written, the newest first. What cannot be read is left out. */
export function readAuthorities(text: string): readonly Authority[] {
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
  return blocks.flatMap((block, at) => {
    if (!block.startsWith('-----BEGIN CERTIFICATE-----')) return [];
    const next = blocks[at + 1] ?? '';
    const key = next.startsWith('-----BEGIN PRIVATE KEY-----') ? `${next}\n` : '';
    try {
      return [parseAuthority(`${block}\n`, key)];
    } catch {
      return [];
    }
  });
}

export function writeAuthorities(authorities: readonly Authority[]): string {
  return authorities.map(({ certificate, key }) => certificate + key).join('');
}

/**
 * The authorities from now on: a new one if it is due, and none that has expired. The keys of those that issue nothing
 * anymore are deleted.
 * @param subject what the authorities are for
 */
export async function nextAuthorities(
  authorities: readonly Authority[],
  subject: AuthoritySubject,
  now: Date,
): Promise<readonly Authority[]> {
  const kept = published(authorities, now);
  const all = needsAuthority(withKey(kept), now) ? [await createAuthority(subject, now), ...kept] : kept;
  const issuer = issuingAuthority(all, now);
  const at = all.indexOf(issuer);
  return all.map((one, index) => (index > at && one.key !== '' ? { ...one, key: '' } : one));
}

/**
 * The authority that issues certificates now.
 * @throws Error if there is none, which does not happen after {@link nextAuthorities}
 */
export function issuingAuthority(authorities: readonly Authority[], now: Date): Authority {
  const issuer = issuerOf(withKey(authorities), now);
  if (issuer === undefined) throw new Error('There is no authority that can issue certificates.');
  return issuer;
}

/** Without its key, an authority is only there to verify. */
function withKey(authorities: readonly Authority[]): readonly Authority[] {
  return authorities.filter(({ key }) => key !== '');
}

/** The bundle that verifies every certificate of the authorities. */
export function bundleOf(authorities: readonly Authority[]): string {
  return authorities.map(({ certificate }) => certificate).join('');
}
