/** As JSON writes a value inside a string, at a depth. With `ascii` everything outside ASCII is escaped too. */
export function escapeJson(value: string, depth: number, ascii = false): string {
  let text = value;
  for (let level = 0; level < depth; level++) {
    text = JSON.stringify(text).slice(1, -1);
    if (ascii)
      text = text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
  return text;
}

/** What a raw piece of JSON string content at a depth says; undefined where it is none. */
export function unescapeJson(raw: string, depth: number): string | undefined {
  let text = raw;
  for (let level = 0; level < depth; level++) {
    try {
      text = JSON.parse(`"${text}"`) as string;
    } catch {
      return undefined;
    }
  }
  return text;
}
