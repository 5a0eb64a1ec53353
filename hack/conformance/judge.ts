/** A guardrail or a gateway did what it must not do. The message says what, in one sentence, for the report. */
export class Violation extends Error {
  override readonly name = 'Misconduct';
}

/** @throws Misconduct where `condition` does not hold. */
export function demand(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Violation(sentence);
}

/** Shortens a text for a report. */
function quote(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}

/**
 * Judges that no request that reached the model holds one of the values, in any case of letters, also inside JSON
 * inside JSON.
 * @param requests the bodies as they reached the model; there must be one at least.
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

/** Judges that the client got exactly the text that it would have got without a guardrail. */
export function exact(got: unknown, expected: unknown): void {
  const [left, right] = [written(got), written(expected)];
  demand(left === right, `The client got ${quote(left)} instead of ${quote(right)}.`);
}

function written(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/**
 * Judges a stream: each state of the text that the client has seen is a beginning of the original, and the last one is
 * the whole of it.
 * @param moments the text so far after each event.
 */
export function prefixes(moments: readonly string[], expected: string): void {
  demand(moments.length > 0, 'The stream brought no text.');
  for (const moment of moments) {
    demand(
      expected.startsWith(moment),
      `At one moment the client saw ${quote(moment)}, no beginning of ${quote(expected)}.`,
    );
  }
  exact(moments.at(-1), expected);
}

/** A pseudonym as the service writes it: `<TYPE_CODE>`. */
const PSEUDONYM = /<[A-Z][A-Z0-9_]*_[A-Z0-9]{4,}>/g;

/** @returns the pseudonyms of e-mail addresses in a text, in order of appearance. */
export function emailPseudonyms(text: string): string[] {
  return (text.match(PSEUDONYM) ?? []).filter((tag) => tag.startsWith('<EMAIL_ADDRESS_'));
}

/**
 * Judges a text that a gateway gives nobody the chance to restore: it is the original with pseudonyms in the place of
 * the values, and perhaps of other words too, and is otherwise unchanged.
 */
export function pseudonymized(got: unknown, original: string, values: readonly string[]): void {
  demand(typeof got === 'string', `The client got ${quote(written(got))} instead of a text.`);
  demand(!values.some((value) => got.includes(value)), `The client got ${quote(got)}, with a real value in it.`);
  const pieces = got.split(PSEUDONYM);
  let at = 0;
  const inOrder = pieces.every((piece, index) => {
    // Between two pieces stands a pseudonym, and for it at least one character of the original.
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
