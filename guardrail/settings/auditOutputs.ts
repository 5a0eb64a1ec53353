/** The setting GUARDRAIL_AUDIT: where audit events are written. */
import { entriesOf } from './values.ts';

/** A destination of audit events. A file has an absolute path. */
export type AuditOutput =
  { readonly kind: 'stdout' | 'stderr' | 'otlp' } | { readonly kind: 'file'; readonly path: string };

/** @throws Error that completes the sentence "<setting> …" */
export function parseAuditOutputs(text: string): readonly AuditOutput[] {
  if (text === 'off') return [];
  const entries = entriesOf(text);
  if (new Set(entries).size < entries.length) throw new Error('must not contain the same entry twice');
  return entries.map(parseOutput);
}

function parseOutput(text: string): AuditOutput {
  switch (text) {
    case 'stdout':
    case 'stderr':
    case 'otlp':
      return { kind: text };
    default:
      if (/^\/.*[^/]$/.test(text)) return { kind: 'file', path: text };
      throw new Error('must be off, or contain stdout, stderr, otlp or the absolute path of a file');
  }
}
