/**
 * Identifiers that mean something, each with a type of its own, so that the compiler refuses one where another is due.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Names one pseudonym mapping. Derived by {@link file://./pseudonymization/session.ts}; nothing can be read or guessed from it. */
export type SessionId = Branded<'SessionId'>;

/** Names one end user of one tenant in the store's index, for erasure. Keyed like a session id: no name in clear. */
export type SubjectId = Branded<'SubjectId'>;

/** What stands in a text instead of a value, in its canonical form: `<PERSON_K7Q2RTM4>`. */
export type Pseudonym = Branded<'Pseudonym'>;

/** The name of the API key that a call came with: each is a tenant of its own. */
export type Tenant = Branded<'Tenant'>;
