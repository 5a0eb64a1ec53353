/**
 * When certificates are replaced. A new authority is published long before it issues anything. An old authority stays
 * published until it expires. So a client that has read the bundle in the last {@link PUBLICATION_MS} can verify every served
 * certificate. Pure.
 */

const DAY_MS = 86_400_000;

/** How long an authority is published before it issues certificates: the longest age of a bundle that a client may use. */
export const PUBLICATION_MS = 30 * DAY_MS;
export const AUTHORITY_LIFETIME_MS = 365 * DAY_MS;
export const CERTIFICATE_LIFETIME_MS = 90 * DAY_MS;
/** Certificates are valid some time before they are issued, for clocks that are slow. */
export const BACKDATE_MS = 3_600_000;
/** The part of its lifetime after which a certificate is replaced. */
const RENEWED_AFTER = 2 / 3;

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The validity of a certificate that is issued now. It does not outlive its issuer. */
export function validityFrom(now: Date, lifetimeMs: number, issuer?: Validity): Validity {
  const end = Math.min(now.getTime() + lifetimeMs, issuer?.notAfter.getTime() ?? Number.POSITIVE_INFINITY);
  return { notBefore: new Date(now.getTime() - BACKDATE_MS), notAfter: new Date(end) };
}

/** The authorities that are published: all that have not expired. */
export function published<T extends Validity>(authorities: readonly T[], now: Date): readonly T[] {
  return authorities.filter(({ notAfter }) => notAfter > now);
}

/** Whether a new authority must be created. @param authorities the newest first */
export function needsAuthority(authorities: readonly Validity[], now: Date): boolean {
  const [newest] = published(authorities, now);
  return newest === undefined || isDue(newest, now);
}

/**
 * The authority that issues certificates: the newest one that everybody knows.
 * @param authorities the newest first
 * @returns undefined if there is none
 */
export function issuerOf<T extends Validity>(authorities: readonly T[], now: Date): T | undefined {
  const valid = published(authorities, now);
  const known = valid.find(({ notBefore }) => now.getTime() - notBefore.getTime() >= PUBLICATION_MS + BACKDATE_MS);
  return known ?? valid.at(-1);
}

/** Whether a certificate has reached the part of its lifetime after which it is replaced. */
export function isDue({ notBefore, notAfter }: Validity, now: Date): boolean {
  const lifetime = notAfter.getTime() - notBefore.getTime();
  return now.getTime() >= notBefore.getTime() + lifetime * RENEWED_AFTER;
}
