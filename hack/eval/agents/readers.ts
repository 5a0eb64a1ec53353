/** Reads the texts of prompts and schemas out of the files of a package: literals of programs, and strings of documents. */
import { execFileSync } from 'node:child_process';
import ts from 'typescript';

/** A string literal of a program. */
export interface Literal {
  /** Its value. Each inserted expression is {@link INSERTED}. */
  readonly text: string;
  /** Whether it describes a tool's parameter or result, as a JSON schema does. */
  readonly isDescription: boolean;
}

/** Stands for what the program inserts into a text. */
const INSERTED = '…';

const schemaTypes = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);

/** The literals of a program in JavaScript or TypeScript: strings, templates, and those joined by `+` or `join`. */
export function scriptLiterals(source: string): Literal[] {
  const literals: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (isError(node)) return;
    const text = textOf(node);
    if (text !== undefined) literals.push({ text, isDescription: isDescription(node) });
    ts.forEachChild(node, (child) => {
      if (text === undefined || textOf(child) === undefined) visit(child);
    });
  };
  visit(ts.createSourceFile('source.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return literals;
}

/** Messages of errors are for the user. */
const isError = (node: ts.Node): boolean =>
  ts.isThrowStatement(node) ||
  ((ts.isNewExpression(node) || ts.isCallExpression(node)) && /Error$|^console\.\w+$/.test(node.expression.getText()));

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => INSERTED + literal.text).join('');
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const sides = [textOf(node.left), textOf(node.right)];
    return sides.every((side) => side === undefined) ? undefined : sides.map((side) => side ?? INSERTED).join('');
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: list, name } = node.expression;
  if (name.text !== 'join' || !ts.isArrayLiteralExpression(list)) return undefined;
  const separator = node.arguments[0] && textOf(node.arguments[0]);
  return list.elements.map((element) => textOf(element) ?? INSERTED).join(separator ?? ',');
}

function isDescription(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression))
    return parent.expression.name.text === 'describe';
  if (!ts.isPropertyAssignment(parent) || parent.name.getText() !== 'description') return false;
  const isAnnotation = ts.isCallExpression(parent.parent.parent) && /\bannotate$/.test(parent.parent.parent.expression.getText()); // prettier-ignore
  return (
    isAnnotation ||
    parent.parent.properties.some(
      (property) =>
        ts.isPropertyAssignment(property) &&
        property.name.getText() === 'type' &&
        (ts.isStringLiteral(property.initializer) ? schemaTypes.has(property.initializer.text) : true),
    )
  );
}

const pythonProgram = `
import ast, json, sys
logging = ('debug', 'info', 'warning', 'warn', 'error', 'exception')
def text(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str): return node.value
    if isinstance(node, ast.JoinedStr): return ''.join(text(part) or '${INSERTED}' for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [text(node.left), text(node.right)]
        return None if sides == [None, None] else ''.join(side or '${INSERTED}' for side in sides)
def described(node):
    if isinstance(node, ast.keyword) and node.arg == 'description': yield node.value
    if isinstance(node, ast.AnnAssign) and getattr(node.target, 'id', '') == 'description': yield node.value
    if isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', '') == 'description': yield node.value
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and key.value == 'description': yield value
def visit(node, found, descriptions):
    descriptions |= {id(value) for value in described(node)}
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise) or isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant): continue
        if isinstance(child, ast.Call) and getattr(child.func, 'attr', '') in logging: continue
        value = text(child)
        if value is None: visit(child, found, descriptions)
        else: found.append({'text': value, 'isDescription': id(child) in descriptions})
    return found
print(json.dumps([literal for file in sys.argv[1:] for literal in visit(ast.parse(open(file, encoding='utf8').read()), [], set())]))
`;

/** The literals of Python files, without docstrings and messages for the user. */
export const pythonLiterals = (files: readonly string[]): Literal[] =>
  JSON.parse(
    execFileSync('python3', ['-c', pythonProgram, ...files], { encoding: 'utf8', maxBuffer: 1 << 28 }),
  ) as Literal[];

/**
 * The texts among literals that an agent sends: descriptions in schemas, and prose.
 * @param isBundle whether the program contains libraries and a user interface too. Then prose counts only if it addresses a model.
 */
export const promptsAmong = (literals: readonly Literal[], isBundle: boolean): string[] =>
  literals
    .filter(({ text, isDescription }) =>
      isDescription ? /\S\s\S/.test(text) : isProse(text) && (!isBundle || addressesModel.test(text)),
    )
    .map(({ text }) => text);

const addressesModel =
  /\b(?:You are|[Yy]our (?:task|job|role)|[Yy]ou (?:must|should|can|need|have)|MUST|NEVER|IMPORTANT|[Uu]se this|this tool|the user|the assistant)\b/;

/** At least 20 words, most of the text. */
function isProse(text: string): boolean {
  const words = text.match(/(?<=^|[\s"'`*(])\p{L}[\p{L}'’-]*(?=$|[\s"'`*).,:;?!])/gu) ?? [];
  return words.length >= 20 && words.join('').length > text.replaceAll(/\s/g, '').length / 2;
}
