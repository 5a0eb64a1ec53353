/** Reads the doc comments of constants and of the members of object literals. Only the syntax: nothing is compiled. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** @returns the doc comments in a file by path: `name` of a constant, `name.member` of a member of an object literal. */
export function readDocComments(path: string): ReadonlyMap<string, string> {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts = new Map<string, string>();
  const visit = (name: string, node: ts.Node, value: ts.Expression | undefined): void => {
    const text = docComment(node);
    if (text !== '') texts.set(name, text);
    const literal = value !== undefined && ts.isAsExpression(value) ? value.expression : value;
    if (literal === undefined || !ts.isObjectLiteralExpression(literal)) return;
    for (const member of literal.properties) {
      if (ts.isPropertyAssignment(member)) visit(`${name}.${member.name.getText()}`, member, member.initializer);
    }
  };
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      visit(name.getText(), statement, initializer);
    }
  }
  return texts;
}

function docComment(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? '';
  return text
    .replaceAll(/\{@link (?:\w+\.)?(\w+)\}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
