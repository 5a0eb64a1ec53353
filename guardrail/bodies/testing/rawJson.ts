import fc from 'fast-check';

/** Names that APIs give a meaning, and some that they do not. */
const NAMES = [
  ...['messages', 'content', 'role', 'type', 'text', 'name', 'tools', 'function', 'arguments', 'parameters', 'default'],
  ...['properties', 'metadata', 'user', 'user_id', 'input', 'output', 'system', 'source', 'data', 'url', 'image_url'],
  ...['choices', 'delta', 'logprobs', 'thinking', 'signature', 'parts', 'contents', 'functionCall', 'args', 'id'],
  ...['x', 'é', '__proto__', '', 'a"b'],
];
const TYPES = [
  'text',
  'function',
  'tool_use',
  'tool_result',
  'thinking',
  'image',
  'message',
  'json_schema',
  'brand_new',
];

export interface RawJsonOptions {
  /** Strings that occur as contents of texts. */
  readonly texts: readonly string[];
  /** Strings that occur as names of members, in addition to those of the APIs. */
  readonly names: readonly string[];
}

/** JSON texts of any spelling: white space, escapes, numbers such as 1.0 and 1e400, names that occur twice. */
export function rawJson({ texts, names }: RawJsonOptions): fc.Arbitrary<string> {
  const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n');
  const escaped = (text: string): string =>
    text.replace(/[^ -!#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const spelled = (text: string): fc.Arbitrary<string> =>
    fc.boolean().map((isEscaped) => (isEscaped ? `"${escaped(text)}"` : JSON.stringify(text)));
  const string = fc
    .oneof(fc.constantFrom(...texts, ...TYPES, 'user', 'assistant'), fc.string({ unit: 'grapheme', maxLength: 8 }))
    .chain(spelled);
  const scalar = fc.constantFrom('1', '1.0', '1e400', '-0', '1E+2', '0.10', 'true', 'false', 'null');
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      string,
      scalar,
      fc
        .array(fc.tuple(space, tie('value'), space), { maxLength: 3 })
        .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
      fc
        .array(
          fc.tuple(space, fc.constantFrom(...NAMES, ...names).chain(spelled), space, fc.constant(':'), tie('value')),
          {
            maxLength: 4,
          },
        )
        .map((members) => `{${members.map((member) => member.join('')).join(',')}}`),
    ),
  }));
  return fc.tuple(space, value, space).map((parts) => parts.join(''));
}
