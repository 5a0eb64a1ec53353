/** The guardrail or a gateway violates a requirement. The message is one sentence for the report. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** @throws Violation if `condition` is false. */
export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Violation(sentence);
}

/** Shortens a text for a report. */
function quote(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}

/**
 * Checks that no request to the model contains one of the values, in any letter case, including in nested JSON.
 *
 * @param requests the bodies that reached the model; at least one.
 */
export function neverSaw(requests: readonly string[], values: readonly string[]): void {
  demand(requests.length > 0, 'The model was never called.');
  for (const request of requests) {
    const bare = request.replaceAll('\\', '').toLowerCase();
    for (const value of values) {
      const seen = bare.includes(value.replaceAll('\\', '').toLowerCase());
      demand(!seen, `The model saw the real value ${quote(value)} in ${quote(request)}.`);
    }
  }
}

/** Checks that the client got exactly the text that it would get without a guardrail. */
export function exact(got: unknown, expected: unknown): void {
  const [left, right] = [written(got), written(expected)];
  demand(left === right, `The client got ${quote(left)} instead of ${quote(right)}.`);
}

function written(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/**
 * Checks a stream: each intermediate text is a prefix of the original, and the last one is the complete original.
 *
 * @param moments the accumulated text after each event.
 */
export function prefixes(moments: readonly string[], expected: string): void {
  demand(moments.length > 0, 'The stream contained no text.');
  for (const moment of moments) {
    demand(
      expected.startsWith(moment),
      `During the stream, the client saw ${quote(moment)}, which is not a prefix of ${quote(expected)}.`,
    );
  }
  exact(moments.at(-1), expected);
}

/** A pseudonym in the service's format: `<TYPE_CODE>`. */
const PSEUDONYM = /<[A-Z][A-Z0-9_]*_[A-Z0-9]{4,}>/g;

/** @returns the pseudonyms of e-mail addresses in a text, in order of appearance. */
export function emailPseudonyms(text: string): string[] {
  return (text.match(PSEUDONYM) ?? []).filter((tag) => tag.startsWith('<EMAIL_ADDRESS_'));
}

/**
 * Checks a text that the gateway does not let the guardrail restore. It must be the original with pseudonyms instead of the
 * values, and possibly instead of other words, and otherwise unchanged.
 */
export function pseudonymized(got: unknown, original: string, values: readonly string[]): void {
  demand(typeof got === 'string', `The client got ${quote(written(got))} instead of a text.`);
  demand(!values.some((value) => got.includes(value)), `The client got ${quote(got)}, which contains a real value.`);
  const pieces = got.split(PSEUDONYM);
  let at = 0;
  const inOrder = pieces.every((piece, index) => {
    // Between two pieces is a pseudonym that replaces at least one character of the original.
    const last = index > 0 && index === pieces.length - 1;
    const found = last ? original.length - piece.length : original.indexOf(piece, index === 0 ? 0 : at + 1);
    const fits = index === 0 ? found === 0 : found > at && original.endsWith(last ? piece : '');
    at = found + piece.length;
    return fits;
  });
  demand(
    pieces.length > 1 && inOrder,
    `The client got ${quote(got)}, which is not ${quote(original)} with pseudonyms.`,
  );
}
