import { atOnce } from '../../eventLoop.ts';
import type { RequestBody } from '../contract.ts';
import { applyEdits, type Edit } from '../json/edits.ts';
import { itemsOf, memberOf, stringOf, type Node } from '../json/document.ts';
import { operationOf, rolesOfOperation, type Operation } from '../operations.ts';
import { editsOf } from '../rewrite.ts';
import type { BodyRole } from '../roles.ts';
import type { BodySource, InnerBodies } from '../source.ts';
import { documentIn, readingJson, type JsonReading } from '../text.ts';
import { contentOfRequest } from '../walk.ts';
import { messagesOf } from './bodyMessages.ts';
import type { Checkable } from './checkable.ts';

/** @throws BodyError */
export function jsonBody(
  operation: Operation,
  { bytes, hidesEndUser, json = atOnce(readingJson(bytes)) }: Pick<RequestBody, 'bytes' | 'hidesEndUser' | 'json'>,
): Checkable {
  return jsonPart(
    json,
    hidesEndUser,
    (root) => ({
      members: operation.members,
      structure: operation.structure,
      opaqueObjects: operation.opaqueObjects,
      inner: operation.innerOf?.(root) ?? innerBodies(operation, root),
    }),
    messagesOf,
  );
}

/** A line of a batch file, or of a file for fine-tuning. @throws BodyError */
export function jsonLine(bytes: Buffer, hidesEndUser?: boolean): Checkable {
  return jsonPart(atOnce(readingJson(bytes)), hidesEndUser, (root) => {
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

function jsonPart(
  json: JsonReading,
  hidesEndUser: boolean | undefined,
  rolesOf: (root: Node) => Pick<BodySource, 'members' | 'inner' | 'structure' | 'opaqueObjects'>,
  numbersOf?: typeof messagesOf,
): Checkable {
  const { text, root } = documentIn(json);
  const source = { root, text, hidesEndUser, ...rolesOf(root) };
  const { places, images, hasFiles } = contentOfRequest(source);
  const messageAt = numbersOf?.(source);
  return {
    passages: messageAt ? places.map((place) => ({ ...place, message: messageAt(place.start) })) : places,
    images: images.map(({ source: image }) => image),
    ...(messageAt && { imageMessages: images.map(({ nodes }) => messageAt(nodes[0]?.start ?? -1)) }),
    hasFiles,
    write(texts, urls) {
      const imageEdits = images.flatMap(({ source: image, put }, at): Edit[] => {
        const url = urls[at] ?? image;
        return url === image ? [] : put(url);
      });
      return Buffer.from(applyEdits(text, [...editsOf(places, texts), ...imageEdits]));
    },
  };
}
