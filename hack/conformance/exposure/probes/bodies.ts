/** Bodies of requests and answers. */
import type { Json, JsonObject } from '../../../harness/gateway/gateway.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import type { Shape } from '../probe.ts';

/** @returns a scripted answer in JSON */
export const json = (body: Json): Reply => ({ json: body });

/** @returns a multipart body. A file is an object of its name, type and content. */
export function form(fields: JsonObject): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.set(name, value);
    else data.set(name, fileOf(value as { name: string; type: string; content: string }));
  }
  return data;
}

const fileOf = ({ name, type, content }: { name: string; type: string; content: string }): File =>
  new File([content], name, { type });

/** The shape of rows that are whole bodies, in JSON. */
export const BODY: Shape = { body: (row) => row };

/** The shape of rows that are the fields of a multipart body. */
export const FORM: Shape = { body: form };
