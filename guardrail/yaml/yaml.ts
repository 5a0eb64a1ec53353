/**
 * Parses YAML of tenants and administrators in linear time. The parser's own check for duplicate keys compares each key
 * with all others; the check in this file uses a set.
 */
import type { Document, Node, Pair } from 'yaml';
import { isAlias, isCollection, isMap, isPair, isScalar, LineCounter, parseAllDocuments } from 'yaml';

/**
 * The longest YAML text, in bytes. This is the largest inline text in a resource, and enough for about 1,000 models of a
 * gateway. The parser needs up to 1.5 s and 130 MiB for the most expensive text of this length.
 */
export const MAX_YAML_BYTES = 256 * 1024;
/** The deepest nesting of collections. When YAML is written, each line costs time proportional to its depth. */
export const MAX_YAML_DEPTH = 64;
/** The maximum number of anchors in a text. An edit that removes an anchor visits all its aliases. */
export const MAX_YAML_ANCHORS = 1_000;

/** The text is not accepted. The message is a sentence without its subject, and contains no value of the text. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** A code of the parser or of this module. undefined: the whole text is refused. */
  readonly code: string | undefined;
  /** The position of the error, counted from 1. */
  readonly position: { readonly line: number; readonly column: number } | undefined;

  constructor(message: string, fault?: { readonly code: string; readonly line: number; readonly column: number }) {
    super(message);
    this.code = fault?.code;
    this.position = fault;
  }
}

/**
 * Parses a text of at most one document.
 * @returns the document; undefined if the text has none
 * @throws YamlError
 */
export function parseYaml(text: string): Document.Parsed | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) {
    throw new YamlError(
      `is ${Math.ceil(bytes / 1024)} KiB long, but the limit is ${MAX_YAML_BYTES / 1024} KiB: shorten it`,
    );
  }
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  // For an empty text, the parser returns an object that is not an array.
  if (!Array.isArray(documents)) return undefined;
  const fault = (code: string, offset: number): YamlError => {
    const { line, col } = lines.linePos(offset);
    return new YamlError(`is not valid YAML at line ${line}, column ${col} (${code}): correct it`, {
      code,
      line,
      column: col,
    });
  };
  for (const { errors } of documents) if (errors[0] !== undefined) throw fault(errors[0].code, errors[0].pos[0]);
  const [document, second] = documents;
  if (second !== undefined) throw new YamlError('contains several YAML documents: keep only one');
  if (document !== undefined) checkNodes(document.contents, fault);
  return document;
}

/** Throws at the first duplicate key, too deep node, excess anchor, or alias without an anchor. Does not recurse. */
function checkNodes(root: Node | null, fault: (code: string, offset: number) => YamlError): void {
  const stack: [node: unknown, depth: number][] = [[root, 0]];
  const anchors = new Set<string>();
  let defined = 0;
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [node, depth] = top;
    if (isPair(node)) {
      stack.push([node.value, depth], [node.key, depth]);
    } else if (isAlias(node)) {
      if (!anchors.has(node.source)) throw fault('BAD_ALIAS', node.range?.[0] ?? 0);
    } else {
      const offset = (node as Node | null)?.range?.[0] ?? 0;
      const anchor = isScalar(node) || isCollection(node) ? node.anchor : undefined;
      if (anchor !== undefined && ++defined > MAX_YAML_ANCHORS) throw fault('TOO_MANY_ANCHORS', offset);
      if (anchor !== undefined) anchors.add(anchor);
      if (!isCollection(node)) continue;
      if (depth >= MAX_YAML_DEPTH) throw fault('TOO_DEEP', offset);
      if (isMap(node)) checkKeys(node.items, fault);
      // In reverse, so that the stack returns the first item first: an alias follows its anchor.
      for (let at = node.items.length - 1; at >= 0; at--) stack.push([node.items[at], depth + 1]);
    }
  }
}

function checkKeys(items: readonly Pair[], fault: (code: string, offset: number) => YamlError): void {
  const keys = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value)) throw fault('DUPLICATE_KEY', key.range?.[0] ?? 0);
    keys.add(key.value);
  }
}
