/**
 * The TypeScript side: where each field stands, what its doc comment says, and what of it the schema generator would
 * drop without a word (tags that it does not know, repeated tags, values that are not JSON, template literal types).
 */
import { relative } from 'node:path';
import ts from 'typescript';
import type { Problem } from './problems.ts';

/** Tags whose value is text. */
const textTags = new Set(['format', 'pattern', 'asType', 'listType', 'listMapKey', 'mapType']);
/** Tags whose value is JSON. `eachItem` and `eachValue` hold what applies to each item of a list, each value of a map. */
const jsonTags = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'default',
  'eachItem',
  'eachValue',
  'x-kubernetes-validations',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]);
/** Tags on the type of a kind. */
const kindTags = new Set(['printcolumn', 'categories']);

/** What of our tags the schema generator does not know by itself. */
export const extraTags = [
  'eachItem',
  'eachValue',
  'listType',
  'listMapKey',
  'mapType',
  'x-kubernetes-validations',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
];

const linkToConstant = /^\{@link ([\w.]+)\}$/;

/**
 * The constants that a tag `@default {@link name}` may name: what a file exports, by its path, where its type is a literal.
 * So a default stands in one place, for the CRD and for the program.
 */
export class Constants {
  readonly #checker: ts.TypeChecker;
  readonly #source: ts.SourceFile | undefined;

  constructor(program: ts.Program, file: string) {
    this.#checker = program.getTypeChecker();
    this.#source = program.getSourceFile(file);
  }

  /** @returns the value that a tag's text links to; undefined: it links to no constant */
  resolve(text: string): string | number | undefined {
    const [first, ...path] = linkToConstant.exec(text)?.[1]?.split('.') ?? [];
    if (first === undefined || this.#source === undefined) return undefined;
    const module = this.#checker.getSymbolAtLocation(this.#source);
    const exported = module === undefined ? [] : this.#checker.getExportsOfModule(module);
    const found = exported.find(({ name }) => name === first);
    let type = found === undefined ? undefined : this.#checker.getTypeOfSymbol(found);
    for (const name of path) {
      const property = type?.getProperty(name);
      type = property === undefined ? undefined : this.#checker.getTypeOfSymbol(property);
    }
    return type?.isStringLiteral() === true || type?.isNumberLiteral() === true ? type.value : undefined;
  }
}

/** What the doc comment of a kind says about the CRD as a whole. */
export interface KindTags {
  readonly description: string;
  readonly printcolumn: unknown;
  readonly categories: unknown;
}

/** One kind's types, read. */
export interface KindSource {
  readonly tags: KindTags;
  /** Where each field stands, by its path. */
  readonly locations: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** Compiles the file that declares the kinds. @throws Error where it does not exist or does not compile. */
export function createProgram(file: string, tsconfig: string): ts.Program {
  const read = ts.readConfigFile(tsconfig, ts.sys.readFile.bind(ts.sys));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ts.sys.getCurrentDirectory());
  delete options.tsBuildInfoFile;
  const program = ts.createProgram([file], { ...options, noEmit: true, incremental: false });
  const errors = ts.getPreEmitDiagnostics(program);
  if (errors.length > 0) {
    const host = {
      getCanonicalFileName: (name: string) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    };
    throw new Error(ts.formatDiagnostics(errors, host));
  }
  return program;
}

/** Reads what a kind's types say. @throws Error where the file exports no such type, or it has no `spec`. */
export function readKind(program: ts.Program, file: string, kind: string): KindSource {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  const found = exported.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`${file} exports no type ${kind}.`);
  const symbol = (found.flags & ts.SymbolFlags.Alias) === 0 ? found : checker.getAliasedSymbol(found);
  const type = checker.getDeclaredTypeOfSymbol(symbol);

  const reader = new FieldReader(checker, new Constants(program, file));
  const tags = reader.readTags(symbol, kind, kindTags);
  for (const part of ['spec', 'status']) {
    const property = type.getProperty(part);
    if (property !== undefined) {
      reader.locate(property, part);
      reader.readType(checker.getTypeOfSymbol(property), part, []);
    } else if (part === 'spec') throw new Error(`Type ${kind} in ${file} has no spec.`);
  }
  return {
    tags: {
      description: descriptionOf(checker, symbol),
      printcolumn: tags.get('printcolumn'),
      categories: tags.get('categories'),
    },
    locations: reader.locations,
    problems: reader.problems,
  };
}

class FieldReader {
  readonly locations = new Map<string, string>();
  readonly problems: Problem[] = [];
  readonly #checker: ts.TypeChecker;
  readonly #constants: Constants;

  constructor(checker: ts.TypeChecker, constants: Constants) {
    this.#checker = checker;
    this.#constants = constants;
  }

  /** Notes where a field stands. */
  locate(symbol: ts.Symbol, field: string): void {
    const declaration = symbol.declarations?.[0];
    if (declaration !== undefined) this.locations.set(field, locationOf(declaration));
  }

  /** Reads the tags of a symbol. Everything that the generator would drop becomes a problem. */
  readTags(symbol: ts.Symbol, field: string, others: ReadonlySet<string> = new Set()): Map<string, unknown> {
    const values = new Map<string, unknown>();
    for (const { name, text } of symbol.getJsDocTags(this.#checker)) {
      const value = (text ?? []).map((part) => part.text).join('');
      if (values.has(name))
        this.#add(symbol, field, `@${name} occurs twice, and only the last would count: write one.`);
      if (name === 'default' && linkToConstant.test(value)) {
        if (this.#constants.resolve(value) !== undefined) continue;
        this.#add(symbol, field, `@default ${value} names no exported constant that is a text or a number.`);
      } else if (textTags.has(name)) values.set(name, value);
      else if (jsonTags.has(name) || others.has(name)) values.set(name, this.#parse(symbol, field, name, value));
      else this.#add(symbol, field, `@${name} would be lost: a CRD has no place for it. Say it in the description.`);
    }
    return values;
  }

  /** Reads a type and everything beneath it. `within` are the object types that it is part of. */
  readType(declared: ts.Type, field: string, within: readonly ts.Type[]): void {
    const type = this.#checker.getNonNullableType(declared);
    if ((type.flags & ts.TypeFlags.TemplateLiteral) !== 0) {
      this.#addAt(field, 'a template literal type would become any string: write string with @pattern.');
      return;
    }
    if (type.isUnion()) {
      for (const member of type.types) this.readType(member, field, within);
      return;
    }
    if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection()) return;
    if (within.includes(type)) {
      this.#addAt(field, 'the type contains itself, which a CRD cannot say: bound the depth with types of their own.');
      return;
    }
    if (type.getSymbol()?.name === 'Date') {
      this.#addAt(field, 'JSON has no Date: write string with @format date-time.');
      return;
    }
    const inner = [...within, type];
    const item = this.#checker.isArrayType(type)
      ? this.#checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
    if (item !== undefined) {
      this.readType(item, `${field}[]`, inner);
      return;
    }
    if (this.#checker.isTupleType(type)) return;
    this.#readOwnTags(type, field);
    const value = type.getStringIndexType();
    if (value !== undefined) this.readType(value, `${field}{}`, inner);
    for (const property of type.getProperties()) {
      const path = `${field}.${property.name}`;
      this.locate(property, path);
      this.readTags(property, path);
      if (descriptionOf(this.#checker, property) === '') {
        this.#add(property, path, 'has no description: write a sentence above it, which kubectl explain will show.');
      }
      this.readType(this.#checker.getTypeOfSymbol(property), path, inner);
    }
  }

  #readOwnTags(type: ts.Type, field: string): void {
    const symbols = new Set([type.getSymbol(), type.aliasSymbol]);
    for (const symbol of symbols) {
      const declaration = symbol?.declarations?.[0];
      if (symbol === undefined || declaration === undefined) continue;
      // Record and Partial come from TypeScript's own library, whose comments are not ours.
      if (!declaration.getSourceFile().isDeclarationFile) this.readTags(symbol, field);
    }
  }

  #parse(symbol: ts.Symbol, field: string, name: string, text: string): unknown {
    try {
      return JSON.parse(text === '' ? 'true' : text);
    } catch {
      this.#add(symbol, field, `the value of @${name} is not JSON: ${text}`);
      return undefined;
    }
  }

  #add(symbol: ts.Symbol, field: string, reason: string): void {
    const declaration = symbol.declarations?.[0];
    this.problems.push({ file: declaration === undefined ? '' : locationOf(declaration), field, reason });
  }

  #addAt(field: string, reason: string): void {
    this.problems.push({ file: nearestLocation(this.locations, field), field, reason });
  }
}

/** Where a field stands, or the field around it. */
export function nearestLocation(locations: ReadonlyMap<string, string>, field: string): string {
  for (let path = field; path !== ''; path = path.replace(/(?:\[\]|\{\}|(?:^|\.)[^.[{]+)$/, '')) {
    const location = locations.get(path);
    if (location !== undefined) return location;
  }
  return '';
}

function descriptionOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim();
}

function locationOf(node: ts.Node): string {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${relative(process.cwd(), source.fileName)}:${line + 1}`;
}
