/** Finds in the sources of types what the schema generator would silently drop or widen. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import type { Problem } from './schema.ts';

/** Tags whose value is text. */
const TEXT_TAGS = ['format', 'pattern', 'asType', 'listType', 'listMapKey'];
/** Tags whose value is JSON, and which the schema generator knows. */
const JSON_TAGS = [
  ...[
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'default',
  ],
];
/**
 * Tags whose value is JSON, and which the schema generator copies. `eachItem` and `eachValue` apply to each item of a list and to
 * each value of a map; `printcolumn` and `categories` are those of a kind.
 */
const COPIED_TAGS = [
  ...['eachItem', 'eachValue', 'printcolumn', 'categories', 'x-kubernetes-validations', 'x-kubernetes-int-or-string'],
];
/** The tags that the schema generator does not know itself. */
export const EXTRA_TAGS = [...COPIED_TAGS, 'listType', 'listMapKey'];

const LINK = /^\{@link ([\w.]+) ?\}$/;

/**
 * The value that the text of a tag `@default {@link name}` links to, so that the CRD and the program share one definition.
 * @param constants by name; `name.member` is a member of an object
 * @returns undefined if it links to no text and no number
 */
export function linkedConstant(text: string, constants: object): string | number | undefined {
  const path = LINK.exec(text)?.[1]?.split('.') ?? ['?'];
  const value = path.reduce<unknown>(
    (parent, name) => (parent as Record<string, unknown> | undefined)?.[name],
    constants,
  );
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The doc comment of a kind, whose type the schema generator cannot read as a whole. */
export interface KindComment {
  readonly description: string;
  readonly printcolumn?: unknown;
  readonly categories?: unknown;
  /** Rules on the whole object, which may use `self.metadata.name`. */
  readonly 'x-kubernetes-validations'?: unknown;
}

/** Reads the doc comment of a kind. @returns undefined if no file declares its type */
export function kindComment(files: readonly string[], kind: string): KindComment | undefined {
  const found = files
    .flatMap((file) => [...parse(file).statements])
    .find((node) => ts.isInterfaceDeclaration(node) && node.name.text === kind);
  if (found === undefined) return undefined;
  const comment = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(found).filter(ts.isJSDoc).at(-1)?.comment);
  const tags = ts.getJSDocTags(found).map((tag): [string, unknown] => {
    return [tag.tagName.text, JSON.parse(ts.getTextOfJSDocComment(tag.comment) ?? 'true')];
  });
  return { description: (comment ?? '').replaceAll(/\s+/g, ' ').trim(), ...Object.fromEntries(tags) };
}

/** Reads the types of a file, and the tags in their doc comments. */
export function sourceProblems(file: string, constants: object): Problem[] {
  const source = parse(file);
  const problems: Problem[] = [];
  const add = (node: ts.Node, reason: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    problems.push({ place: `${relative(process.cwd(), file)}:${line + 1}`, reason });
  };
  const visit = (node: ts.Node): void => {
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node);
    const tags = isType ? ts.getJSDocTags(node) : [];
    for (const [at, tag] of tags.entries()) {
      const name = tag.tagName.text;
      const text = ts.getTextOfJSDocComment(tag.comment) ?? '';
      const isRepeated = tags.slice(0, at).some(({ tagName }) => tagName.text === name);
      if (isRepeated) add(tag, `@${name} occurs twice, and only the last one would apply. Remove one.`);
      const problem = tagProblem(name, text, constants);
      if (problem !== undefined) add(tag, problem);
    }
    if (ts.isTemplateLiteralTypeNode(node)) add(node, 'a template literal type would allow any string. Use @pattern.');
    if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Date') {
      add(node, 'JSON has no Date type. Use string with @format date-time.');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function tagProblem(name: string, text: string, constants: object): string | undefined {
  if (TEXT_TAGS.includes(name)) return undefined;
  if (![...JSON_TAGS, ...COPIED_TAGS].includes(name)) {
    return `@${name} would be lost, because a CRD cannot express it. Move it to the description.`;
  }
  if (name === 'default' && LINK.test(text)) {
    const isConstant = linkedConstant(text, constants) !== undefined;
    return isConstant ? undefined : `@default ${text} does not link to an exported text or number.`;
  }
  try {
    JSON.parse(text === '' ? 'true' : text);
    return undefined;
  } catch {
    return `the value of @${name} is not JSON: ${text}`;
  }
}
