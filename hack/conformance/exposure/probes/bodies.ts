/** Bodies of requests and answers. */
import type { Json } from '../../../harness/gateway/gateway.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';

/** @returns a scripted answer in JSON */
export const json = (body: Json): Reply => ({ json: body });

/** @returns a multipart body */
export function form(fields: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

export const file = (content: string | Uint8Array<ArrayBuffer>, name = 'a.wav', type = 'audio/wav'): File =>
  new File([content], name, { type });
