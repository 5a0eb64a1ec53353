// oxlint-disable-next-line typescript/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

/**
 * `text.charCodeAt(at)` for code that reads each character of texts. V8 looks the method up for each character as soon as it
 * has seen texts of many kinds at that place: slices, concatenations, texts outside Latin-1. A constant takes a third of the
 * time.
 * @returns the UTF-16 code unit at a place; NaN outside of the text
 */
export function unitAt(text: string, at: number): number {
  return charCodeAt.call(text, at);
}
