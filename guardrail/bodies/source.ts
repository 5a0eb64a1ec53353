import type { Node } from '../messages/messages.ts';
import type { BodyRole } from './roles.ts';

/** Objects that are bodies of their own, with the roles of their members. */
export type InnerBodies = ReadonlyMap<Node, ReadonlyMap<string, BodyRole>>;

/** A body, or one line of it. */
export interface BodySource {
  readonly root: Node;
  /** The text that the root stands in. */
  readonly text: string;
  /** Roles of the members of the root. */
  readonly members: ReadonlyMap<string, BodyRole>;
  /** Objects in a request that are bodies of their own, with the roles of their members. */
  readonly inner?: InnerBodies;
  /** Members with objects without a type that are parts of messages, besides those of all APIs. */
  readonly structure?: ReadonlySet<string> | undefined;
  /** The opaque members in which the API has objects or lists; undefined: all may have them. See {@link roleOfValue}. */
  readonly opaqueObjects?: ReadonlySet<string> | undefined;
  /** See {@link RequestBody.hidesEndUser}. */
  readonly hidesEndUser?: boolean | undefined;
}
