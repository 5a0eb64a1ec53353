/** Whether the CRDs of a release have the revision by which operators know the newer one. */
import { parse } from 'yaml';
import { annotations } from '../../operator/api/v1alpha1/common.ts';
import type { Files } from './versions.ts';

interface Definition {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: unknown;
}

/**
 * What is wrong with the revisions of changed CRDs, one sentence each.
 * @param before the files of the CRDs in the last release; none: there was no release
 * @param now the files of the CRDs in this one
 */
export function revisionProblems(before: Files, now: Files): string[] {
  return [...now].flatMap(([file, text]) => {
    const old = before.get(file);
    if (old === undefined) return [];
    const [was, is] = [parse(old) as Definition, parse(text) as Definition];
    const changed = JSON.stringify(was.spec) !== JSON.stringify(is.spec);
    if (!changed || revisionOf(is) > revisionOf(was)) return [];
    return [
      `The CRD ${is.metadata.name} has changed since the last release, and still has the revision ${revisionOf(is)}. ` +
        'Raise CRD_REVISION in operator/api/v1alpha1/common.ts, and run npm run generate.',
    ];
  });
}

function revisionOf({ metadata }: Definition): number {
  return Number(metadata.annotations?.[annotations.crdRevision] ?? 0);
}
