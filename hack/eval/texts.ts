import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { EvalText } from './score.ts';

const line = z.object({
  id: z.union([z.string(), z.number()]),
  text: z.string(),
  spans: z.array(z.object({ start: z.int(), end: z.int(), type: z.string() })),
  meta: z.object({ kind: z.string().optional() }).optional(),
});

/**
 * Reads labelled texts: one JSON object per line, offsets in code points.
 * @throws Error with the number of a malformed line.
 */
export async function readTexts(file: string): Promise<EvalText[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((content, index) => {
    if (content.trim() === '') return [];
    const parsed = line.safeParse(parseJson(content));
    if (!parsed.success) throw new Error(`${file}:${index + 1} is not an object with id, text and spans.`);
    const { meta, ...text } = parsed.data;
    return [{ ...text, ...(meta?.kind === undefined ? {} : { kind: meta.kind }) }];
  });
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
