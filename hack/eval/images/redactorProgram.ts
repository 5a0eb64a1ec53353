/** The program of `redactor.ts`: the guard of the guardrail with the shipped detector, for the profile `personal`. */
import { createSecretKey } from 'node:crypto';
import { createImageGuard, createImageWorkerPool } from '../../../guardrail/images/images.ts';
import type { Tenant } from '../../../guardrail/ids.ts';
import { createGuard, type Guard } from '../../../guardrail/pseudonymization/pseudonymization.ts';
import { createMemoryStore } from '../../../guardrail/store/store.ts';
import { builtinAnalyzer } from '../evaluate.ts';

export interface RedactionRequest {
  readonly file: Buffer;
  readonly format: 'png' | 'jpeg';
}

export interface RedactionReply {
  /** The redacted file. Undefined if the picture was refused. */
  readonly file: Buffer | undefined;
  /** The texts that were read. */
  readonly texts: readonly string[];
}

const sessionKey = createSecretKey(Buffer.alloc(32, 7));
const store = createMemoryStore({ ttlMs: 60_000 });
const inner = createGuard({ analyzer: builtinAnalyzer('personal'), store, sessionKey, scope: 'user' });
let texts: readonly string[] = [];
/** Notes the texts that were read on their way to the detector. */
const noting: Guard = {
  ...inner,
  request: (document, context) => {
    texts = document.imageTexts?.map(({ text }) => text) ?? [];
    return inner.request(document, context);
  },
};
/** The time limit is one of the wall, and the machine that measures can be busy. */
const reader = createImageWorkerPool({ timeoutMs: 300_000 });
const guard = createImageGuard(noting, {
  images: 'redact',
  remoteImages: 'block',
  unreadText: 'mask',
  scope: 'user',
  sessionKey,
  store,
  reader,
});

async function redact({ file, format }: RedactionRequest): Promise<RedactionReply> {
  texts = [];
  const images = [`data:image/${format};base64,${file.toString('base64')}`];
  const call = { identity: { tenant: 'images' as Tenant }, signal: new AbortController().signal };
  const outcome = await guard.request({ texts: [], images }, call);
  if (outcome.action === 'BLOCKED') return { file: undefined, texts };
  const [url] = outcome.action === 'GUARDRAIL_INTERVENED' ? (outcome.images ?? images) : images;
  return { file: Buffer.from(url?.split(',')[1] ?? '', 'base64'), texts };
}

process.on('message', (request: RedactionRequest) => {
  redact(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => {
  void Promise.all([reader.close(), store.close()]);
});
