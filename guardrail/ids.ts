/** Identifiers. Each has its own type, so that the compiler rejects one in place of another. */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Identifies a session. It is derived by {@link file://./pseudonymization/session.ts} and reveals nothing. */
export type SessionId = Branded<'SessionId'>;

/** Identifies an end user of a tenant in the store, for erasure. Derived with the session key, so that it reveals nothing. */
export type SubjectId = Branded<'SubjectId'>;

/** The replacement of a value in its canonical form: `<PERSON_K7Q2RTM4>`. */
export type Pseudonym = Branded<'Pseudonym'>;

/** The holder of an API key: the name of the key. */
export type Tenant = Branded<'Tenant'>;

/** The tenant of all calls through the inline proxy. A key with this name, or an admin key, erases its end users. */
export const INLINE_TENANT = 'inline' as Tenant;
