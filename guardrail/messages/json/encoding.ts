/** Escapes a value for a JSON string at a depth. `ascii` also escapes every character outside ASCII. */
export function escapeJson(value: string, depth: number, ascii = false): string {
  let text = value;
  for (let level = 0; level < depth; level++) {
    text = JSON.stringify(text).slice(1, -1);
    if (ascii)
      text = text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }
  return text;
}

/** Decodes raw content of a JSON string at a depth; undefined if it is invalid. */
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
