/** What the thread for texts does. Pure. */
import { parsePolicy, PolicyError } from '../../guardrail/guardrail.ts';
import type { EnforcementSettings } from '../gateway/gateway.ts';
import { enforcementOf } from './enforcement.ts';
import type { ManagedSettings, RenderedProxyConfig } from './proxyConfig.ts';
import { renderProxyConfig } from './proxyConfig.ts';
import { ProxyConfigError } from './proxyConfigDocument.ts';

/** A text to work on, and what to do with it. */
export type DocumentTask =
  | { readonly kind: 'render'; readonly base: string; readonly ours: ManagedSettings }
  | { readonly kind: 'enforcement'; readonly base: string; readonly proxyName: string }
  | { readonly kind: 'policy'; readonly text: string };

/** What comes of it; `refused`: what is wrong with the text, without a value of it. */
export type DocumentResult =
  | { readonly kind: 'render'; readonly rendered: RenderedProxyConfig }
  | { readonly kind: 'enforcement'; readonly settings: EnforcementSettings }
  | { readonly kind: 'policy' }
  | { readonly kind: 'refused'; readonly message: string };

/** Works on a text. */
export function runDocumentTask(task: DocumentTask): DocumentResult {
  switch (task.kind) {
    case 'render':
      try {
        return { kind: 'render', rendered: renderProxyConfig(task.base, task.ours) };
      } catch (error) {
        if (!(error instanceof ProxyConfigError)) throw error;
        return { kind: 'refused', message: error.message };
      }
    case 'enforcement':
      return { kind: 'enforcement', settings: enforcementOf(task.base, task.proxyName) };
    case 'policy':
      return checkPolicy(task.text);
  }
}

/** Judged by the guardrail's own reader. */
function checkPolicy(text: string): DocumentResult {
  try {
    parsePolicy(text);
    return { kind: 'policy' };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { kind: 'refused', message: error.message };
  }
}
