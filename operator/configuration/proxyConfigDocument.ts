/**
 * The gateway's configuration as a YAML document that is edited in place: comments, order and quotes are kept. Text
 * that several places share by aliases or merge keys (`<<`) is read as the gateway reads it, and an edit in one place
 * does not change another place. Pure.
 */
import type { Alias, Node } from 'yaml';
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Pair,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { parseYaml, YamlError } from '../../guardrail/guardrail.ts';

/** The base is not a configuration that a gateway can read. The message names the location and contains no value. */
export class ProxyConfigError extends Error {
  override readonly name = 'ProxyConfigError';
}

/** Maximum number of nodes that one alias may expand to: nested aliases grow exponentially. */
const MAX_UNFOLDED = 10_000;
/**
 * Maximum number of nodes that all reads of one configuration may expand to. Real configurations need some hundreds.
 */
const MAX_UNFOLDED_IN_ALL = 50_000;
const MERGE_KEY = '<<';

/**
 * Parses a base, which may be empty.
 * @returns a document whose contents are a mapping
 * @throws ProxyConfigError if the base is not one YAML mapping
 */
export function parseBase(base: string): Document {
  const document = parsed(base);
  if (document === undefined) {
    // A document of comments alone is empty. The comments stay at the top.
    const empty = new Document({});
    empty.commentBefore = base.trim() === '' ? null : base.replaceAll(/^\s*#/gm, '').trimEnd();
    return empty;
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    const { comment, commentBefore } = document;
    const empty = new Document({});
    empty.commentBefore = [commentBefore, comment].filter((text) => typeof text === 'string').join('\n') || null;
    return empty;
  }
  if (!isMap(document.contents)) {
    throw new ProxyConfigError(
      "The gateway's configuration is not a YAML mapping. Start it with keys such as model_list.",
    );
  }
  for (const { key } of document.contents.items) {
    // The gateway can read a key with an alias or a tag as another key, or as a duplicate one.
    if (!isScalar(key) || key.tag !== undefined) {
      throw new ProxyConfigError(
        "The gateway's configuration has an alias, a tag or a collection as a top-level key. Replace it with plain text.",
      );
    }
  }
  return document;
}

function parsed(base: string): Document | undefined {
  try {
    return parseYaml(base);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ProxyConfigError(`The gateway's configuration (spec.proxyConfig.base) ${error.message}.`);
  }
}

/** The mapping of a parsed base. */
export function rootOf(document: Document): YAMLMap {
  // parseBase accepts nothing else.
  return document.contents as unknown as YAMLMap;
}

/** The node itself, or the target of an alias. */
export function resolve(document: Document, node: unknown): unknown {
  return isAlias(node) ? sharingOf(document).targets.get(node) : node;
}

/** The targets of a document's aliases, and the remaining number of nodes that may be expanded. */
interface Sharing {
  readonly targets: ReadonlyMap<Alias, Node>;
  /** The collection or pair of each alias, by the alias's target. */
  readonly places: ReadonlyMap<Node, readonly { readonly alias: Alias; readonly parent: unknown }[]>;
  /** Decremented for every value that is read through an alias or a merge key, each time. */
  left: number;
}

const sharings = new WeakMap<Document, Sharing>();

/**
 * Computed once for each document: the parser's own alias resolution reads the document up to the alias each time.
 * Edits keep it valid, because they add no alias and no anchor.
 */
function sharingOf(document: Document): Sharing {
  const known = sharings.get(document);
  if (known !== undefined) return known;
  const latest = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const places = new Map<Node, { alias: Alias; parent: unknown }[]>();
  visit(document, {
    Node: (_key, node, path) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) latest.set(node.anchor, node);
        return;
      }
      const target = latest.get(node.source);
      if (target === undefined) return;
      targets.set(node, target);
      const place = { alias: node, parent: path.at(-1) };
      const those = places.get(target);
      if (those === undefined) places.set(target, [place]);
      else those.push(place);
    },
  });
  const sharing = { targets, places, left: MAX_UNFOLDED_IN_ALL };
  sharings.set(document, sharing);
  return sharing;
}

/** @throws ProxyConfigError if the expansion exceeds its limit */
function spend(document: Document): void {
  const sharing = sharingOf(document);
  sharing.left -= 1;
  if (sharing.left < 0) {
    throw new ProxyConfigError(
      `The aliases and merge keys in the gateway's configuration expand to more than ${MAX_UNFOLDED_IN_ALL} nodes. Use fewer of them.`,
    );
  }
}

/**
 * The values of a mapping by key: its own, and those of its merge keys.
 * @throws ProxyConfigError if the mapping merges itself
 */
export function entriesOf(
  document: Document,
  map: YAMLMap,
  around: ReadonlySet<YAMLMap> = new Set(),
): Map<string, unknown> {
  if (around.has(map)) throw refersToItself();
  const within = new Set([...around, map]);
  const own = new Map<string, unknown>();
  const merged = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    const name = nameOf(document, key);
    if (name !== MERGE_KEY) {
      own.set(name, value);
      continue;
    }
    const found = resolve(document, value);
    for (const source of isSeq(found) ? found.items : [found]) {
      const target = resolve(document, source);
      if (!isMap(target)) continue;
      // The first source takes precedence.
      for (const [each, its] of entriesOf(document, target, within)) {
        spend(document);
        if (!merged.has(each)) merged.set(each, its);
      }
    }
  }
  return new Map([...merged, ...own]);
}

/** The plain value of a node, with aliases and merge keys resolved. */
export function valueOf(document: Document, node: unknown): unknown {
  return unfold(document, node, (found, inner): unknown => {
    if (isSeq(found)) return found.items.map(inner);
    if (isMap(found)) {
      return Object.fromEntries([...entriesOf(document, found)].map(([key, value]) => [key, inner(value)]));
    }
    return isScalar(found) ? found.value : undefined;
  });
}

/** The value of a mapping's key. An edit of it does not change another place. */
export function ownValue(document: Document, map: YAMLMap, key: string): unknown {
  const pair = map.items.find((each) => nameOf(document, each.key) === key);
  const value: unknown = pair === undefined ? entriesOf(document, map).get(key) : pair.value;
  if (!isNode(value)) return undefined;
  if (pair !== undefined && !isAlias(value)) {
    release(document, new Set([value]));
    return value;
  }
  const copy = copyOf(document, value);
  if (pair === undefined) map.add(new Pair(new Scalar(key), copy));
  else pair.value = copy;
  return copy;
}

/** Replaces all references to nodes, or to nodes within them, so that they can be removed. */
export function detach(document: Document, nodes: readonly unknown[]): void {
  const inside = new Set<Node>();
  for (const node of nodes) {
    if (!isNode(node) || isAlias(node)) continue;
    visit(node, {
      Node: (_key, each) => {
        inside.add(each);
      },
    });
  }
  release(document, inside);
}

/** The text of a key. A key that is not plain text gets a name that no setting has. */
export function nameOf(document: Document, key: unknown): string {
  const found = resolve(document, key);
  return isScalar(found) ? String(found.value) : '?';
}

/** Replaces each alias to these nodes by a copy, and removes the anchors. */
function release(document: Document, nodes: ReadonlySet<Node>): void {
  const { places } = sharingOf(document);
  const byParent = new Map<unknown, Map<unknown, Node>>();
  for (const node of nodes) {
    if (isAlias(node) || node.anchor === undefined) continue;
    for (const { alias, parent } of places.get(node) ?? []) {
      if (nodes.has(alias)) continue;
      const copies = byParent.get(parent) ?? new Map<unknown, Node>();
      byParent.set(parent, copies.set(alias, copyOf(document, node)));
    }
    delete node.anchor;
  }
  for (const [parent, copies] of byParent) replaceIn(parent, copies);
}

/** Replaces parts of a pair or a list. The parts of a mapping are in its pairs. */
function replaceIn(parent: unknown, replacements: ReadonlyMap<unknown, Node>): void {
  if (isPair(parent)) {
    parent.key = replacements.get(parent.key) ?? parent.key;
    parent.value = replacements.get(parent.value) ?? parent.value;
  } else if (isSeq(parent)) {
    parent.items = parent.items.map((item) => replacements.get(item) ?? item);
  }
}

/** A copy with expanded aliases and without comments. */
function copyOf(document: Document, node: Node): Node {
  return unfold(document, node, (found, inner): Node => {
    if (isScalar(found)) {
      const { format, minFractionDigits, source, tag, type } = found;
      return Object.assign(new Scalar(found.value), { format, minFractionDigits, source, tag, type });
    }
    // Node by node, because the meaning of a nested alias depends on its position.
    if (isSeq(found)) {
      const copy = new YAMLSeq();
      copy.items = found.items.map(inner);
      return styledAs(found, copy);
    }
    const copy = new YAMLMap();
    if (isMap(found)) copy.items = found.items.map(({ key, value }) => new Pair(inner(key), inner(value)));
    return styledAs(found, copy);
  });
}

function styledAs(original: unknown, copy: YAMLMap | YAMLSeq): YAMLMap | YAMLSeq {
  if (isCollection(original)) Object.assign(copy, { flow: original.flow, tag: original.tag });
  return copy;
}

/** Copies the comments of one node to another. */
export function copyComments(from: unknown, to: unknown): void {
  if (!isNode(from) || !isNode(to)) return;
  const { comment, commentBefore, spaceBefore } = from;
  Object.assign(to, { comment, commentBefore, spaceBefore });
}

/** Visits a node and all nodes that it refers to, as often as it refers to them. */
function unfold<Result>(
  document: Document,
  node: unknown,
  visitor: (found: unknown, inner: (node: unknown) => Result) => Result,
): Result {
  const around = new Set<unknown>();
  let left = MAX_UNFOLDED;
  const inner = (each: unknown): Result => {
    const found = resolve(document, each);
    if (found !== null && found !== undefined && around.has(found)) throw refersToItself();
    spend(document);
    if (--left < 0) {
      throw new ProxyConfigError(
        `An alias in the gateway's configuration expands to more than ${MAX_UNFOLDED} nodes. Use fewer nested aliases.`,
      );
    }
    around.add(found);
    const result = visitor(found, inner);
    around.delete(found);
    return result;
  };
  return inner(node);
}

function refersToItself(): ProxyConfigError {
  return new ProxyConfigError("An anchor in the gateway's configuration refers to itself. Remove the reference.");
}
