import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

const folder = import.meta.dirname;

/** Where words may stand: those of languages, those of no language, and the labels of national identifiers beside their checks. */
const TABLES = /^(?:languages|words)\/|^recognizers\/country\/|\.test\.ts$|^testing\/|\/testing\//;

/** Three alternatives side by side that are plain words, also with an optional last letter. */
const alternatives = /(?<![\p{L}\\[-])\p{L}{3,}\??(?:\|\p{L}{3,}\??){2,}(?![\p{L}\]])/gu;
/** Four words side by side that a program splits. */
const splitWords = /^\s*\p{L}[\p{L}\d-]*(?:\s+\p{L}[\p{L}\d-]*){3,}\s*$/u;
const word = /^\p{Ll}{2,}$/u;

/** The lists of words in the code of a module. */
function wordListsIn(source: string): string[] {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const lists: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node) || ts.isTemplateExpression(node))
      lists.push(...(node.getText(file).match(alternatives) ?? []));
    if (ts.isNewExpression(node) && node.expression.getText(file) === 'Set') lists.push(...membersOf(node));
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: split, name } = node.expression;
      if (name.text === 'split' && ts.isStringLiteralLike(split) && splitWords.test(split.text)) lists.push(split.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lists;
}

/** The words of a set, if it has three. */
function membersOf({ arguments: [first] = ts.factory.createNodeArray() }: ts.NewExpression): string[] {
  if (first === undefined || !ts.isArrayLiteralExpression(first)) return [];
  const words = first.elements.flatMap((each) =>
    ts.isStringLiteralLike(each) && word.test(each.text) ? each.text : [],
  );
  return words.length < 3 ? [] : [words.join(' ')];
}

describe('words', () => {
  it('stand in languages/ and in words/, and in no other module', () => {
    const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !TABLES.test(file));
    expect(files).to.have.length.above(80);
    const found = files.flatMap((file) =>
      wordListsIn(readFileSync(join(folder, file), 'utf8')).map((list) => `${file}: ${list}`),
    );
    expect(found).to.deep.equal([]);
  });

  const lists = [
    'const a = /^(?:one|two|three)$/;',
    'const a = String.raw`(?:${b})|(?:files?|bytes?|entries)\\b`;',
    "const a = new Set(['one', 'two', 'three']);",
    "const a = 'one two three four'.split(' ');",
  ];
  for (const source of lists) {
    it(`are recognized in: ${source}`, () => {
      expect(wordListsIn(source)).to.have.length(1);
    });
  }
  const others = [
    '/** one|two|three */ const a: one | two | three = 1;',
    'const a = /(?:\\p{L}|[a-z]|\\d)/u;',
    "const a = ['one', 'two', 'three'] as const;",
    "const a = new Set(['EMAIL_ADDRESS', 'ID', 'PERSON', 'URL']);",
    "const a = 'A sentence of four words.';",
  ];
  for (const source of others) {
    it(`are not recognized in: ${source}`, () => {
      expect(wordListsIn(source)).to.deep.equal([]);
    });
  }
});
