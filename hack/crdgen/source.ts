/**
 * Reads the TypeScript types: the location of each field, its doc comment, and everything that the schema generator would
 * silently drop (unknown and repeated tags, values that are not JSON, template literal types).
 */
import { relative } from 'node:path';
import ts from 'typescript';
import type { Problem } from './problems.ts';

/** Tags whose value is text. */
const textTags = new Set(['format', 'pattern', 'asType', 'listType', 'listMapKey', 'mapType']);
/** Tags whose value is JSON. `eachItem` and `eachValue` apply to each item of a list and to each value of a map. */
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
/** Tags of the type of a kind. */
const kindTags = new Set(['printcolumn', 'categories']);

/** The tags that the schema generator does not support itself. */
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
 * The constants that a tag `@default {@link name}` can name: exports of a file, by its path, whose type is a literal. So the
 * CRD and the program share one definition of a default.
 */
export class Constants {
  readonly #checker: ts.TypeChecker;
  readonly #source: ts.SourceFile | undefined;

  constructor(program: ts.Program, file: string) {
    this.#checker = program.getTypeChecker();
    this.#source = program.getSourceFile(file);
  }

  /** @returns the value that a tag's text links to; undefined if it links to no constant */
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

/** The doc comment of a kind that describes the CRD as a whole. */
export interface KindTags {
  readonly description: string;
  readonly printcolumn: unknown;
  readonly categories: unknown;
  /** Rules on the whole object, which may use `self.metadata.name`. */
  readonly validations: unknown;
}

/** The types of one kind. */
export interface KindSource {
  readonly tags: KindTags;
  /** The location of each field, by its path. */
  readonly locations: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/**
 * Compiles the file that declares the kinds.
 * @throws Error if it does not exist or does not compile
 */
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

/**
 * Reads the types of a kind.
 * @throws Error if the file exports no such type, or the type has no `spec`
 */
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
      validations: tags.get('x-kubernetes-validations'),
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

  /** Records the location of a field. */
  locate(symbol: ts.Symbol, field: string): void {
    const declaration = symbol.declarations?.[0];
    if (declaration !== undefined) this.locations.set(field, locationOf(declaration));
  }

  /** Reads the tags of a symbol. Reports everything that the generator would drop. */
  readTags(symbol: ts.Symbol, field: string, others: ReadonlySet<string> = new Set()): Map<string, unknown> {
    const values = new Map<string, unknown>();
    for (const { name, text } of symbol.getJsDocTags(this.#checker)) {
      const value = (text ?? []).map((part) => part.text).join('');
      if (values.has(name))
        this.#add(symbol, field, `@${name} occurs twice, and only the last one would apply. Remove one.`);
      if (name === 'default' && linkToConstant.test(value)) {
        if (this.#constants.resolve(value) !== undefined) continue;
        this.#add(
          symbol,
          field,
          `@default ${value} does not link to an exported constant that is a string or a number.`,
        );
      } else if (textTags.has(name)) values.set(name, value);
      else if (jsonTags.has(name) || others.has(name)) values.set(name, this.#parse(symbol, field, name, value));
      else
        this.#add(
          symbol,
          field,
          `@${name} would be lost, because a CRD cannot express it. Move it to the description.`,
        );
    }
    return values;
  }

  /** Reads a type and everything in it. `within` are the object types that contain it. */
  readType(declared: ts.Type, field: string, within: readonly ts.Type[]): void {
    const type = this.#checker.getNonNullableType(declared);
    if ((type.flags & ts.TypeFlags.TemplateLiteral) !== 0) {
      this.#addAt(field, 'a template literal type would allow any string. Use string with @pattern.');
      return;
    }
    if (type.isUnion()) {
      for (const member of type.types) this.readType(member, field, within);
      return;
    }
    if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection()) return;
    if (within.includes(type)) {
      this.#addAt(
        field,
        'the type contains itself, which a CRD cannot express. Declare a separate type for each level.',
      );
      return;
    }
    if (type.getSymbol()?.name === 'Date') {
      this.#addAt(field, 'JSON has no Date type. Use string with @format date-time.');
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
        this.#add(property, path, 'has no description. Write a doc comment; kubectl explain shows it.');
      }
      this.readType(this.#checker.getTypeOfSymbol(property), path, inner);
    }
  }

  #readOwnTags(type: ts.Type, field: string): void {
    const symbols = new Set([type.getSymbol(), type.aliasSymbol]);
    for (const symbol of symbols) {
      const declaration = symbol?.declarations?.[0];
      if (symbol === undefined || declaration === undefined) continue;
      // Record and Partial are from TypeScript's own library, whose comments are not used.
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

/** The location of a field, or of the field around it. */
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
