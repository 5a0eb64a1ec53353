import { itemsOf, memberOf, type Node, stringOf } from '../../messages/messages.ts';
import type { Steps } from '../../eventLoop.ts';
import type { Passage } from '../../pseudonymization/pseudonymization.ts';
import type { RequestBody } from '../contract.ts';
import { applyingEdits } from '../json/edits.ts';
import { operationOf, rolesOfOperation, type Operation } from '../operations.ts';
import { editingPlaces } from '../rewrite.ts';
import type { BodyRole } from '../roles.ts';
import type { BodySource, InnerBodies } from '../source.ts';
import { documentIn, readingJson, type JsonReading } from '../text.ts';
import { readingRequest } from '../walk.ts';
import { readingMessages } from './bodyMessages.ts';
import type { Checkable } from './checkable.ts';

/** @throws BodyError */
export function* readingJsonBody(
  operation: Operation,
  { bytes, hidesEndUser, json }: Pick<RequestBody, 'bytes' | 'hidesEndUser' | 'json'>,
): Steps<Checkable> {
  const rolesOf = (root: Node): Roles => ({
    members: operation.members,
    structure: operation.structure,
    opaqueObjects: operation.opaqueObjects,
    inner: operation.innerOf?.(root) ?? innerBodies(operation, root),
  });
  return yield* readingPart(json ?? (yield* readingJson(bytes)), hidesEndUser, rolesOf, readingMessages);
}

/** A line of a batch file, or of a file for fine-tuning. @throws BodyError */
export function* readingJsonLine(bytes: Buffer, hidesEndUser?: boolean): Steps<Checkable> {
  return yield* readingPart(yield* readingJson(bytes), hidesEndUser, (root) => {
    const body = memberOf(root, 'body') ?? memberOf(root, 'params');
    if (!body) return { members: rolesOfOperation('chat.completions'), inner: new Map() };
    const url = stringOf(memberOf(root, 'url'));
    const operation = url === undefined ? undefined : operationOf('POST', url);
    const members = operation?.members ?? rolesOfOperation(url === undefined ? 'messages' : undefined);
    return { members: LINE, inner: new Map([[body, members]]) };
  });
}

/** The members of a line around its body. */
const LINE: ReadonlyMap<string, BodyRole> = new Map([
  ['method', 'opaque'],
  ['url', 'opaque'],
  ['body', 'text'],
  ['params', 'text'],
]);

/** The requests of a batch in one body. */
function innerBodies({ batchOf }: Operation, root: Node): InnerBodies {
  if (batchOf === undefined) return new Map();
  const members = rolesOfOperation(batchOf);
  const params = itemsOf(memberOf(root, 'requests')).flatMap((item) => memberOf(item, 'params') ?? []);
  return new Map(params.map((node) => [node, members]));
}

/** What the members of a body are. */
type Roles = Pick<BodySource, 'members' | 'inner' | 'structure' | 'opaqueObjects'>;

function* readingPart(
  json: JsonReading,
  hidesEndUser: boolean | undefined,
  rolesOf: (root: Node) => Roles,
  numbersOf?: typeof readingMessages,
): Steps<Checkable> {
  const { text, root } = documentIn(json);
  const source = { root, text, hidesEndUser, ...rolesOf(root) };
  const { places, images, hasFiles } = yield* readingRequest(source);
  const messageAt = numbersOf && (yield* numbersOf(source));
  const passages: Passage[] = [];
  for (const { text: one, kind, start } of places) {
    passages.push({ text: one, kind, ...(messageAt && { message: messageAt(start) }) });
    yield;
  }
  return {
    passages,
    images: images.map(({ source: image }) => image),
    ...(messageAt && { imageMessages: images.map(({ nodes }) => messageAt(nodes[0]?.start ?? -1)) }),
    hasFiles,
    *write(texts, urls) {
      const edits = yield* editingPlaces(places, texts);
      for (const [at, { source: image, put }] of images.entries()) {
        const url = urls[at] ?? image;
        if (url !== image) edits.push(...put(url));
        yield;
      }
      return Buffer.from(yield* applyingEdits(text, edits));
    },
  };
}
