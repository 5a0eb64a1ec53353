/** Reads the annotations of a resource. Pure. */
import { annotations } from '../api/v1alpha1/v1alpha1.ts';

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The remedy in the condition of a deletion that waits. */
export const forceDeleteRemedy = `To delete this resource anyway, set the annotation ${annotations.forceDelete} to "true".`;

/** Whether an annotation is "true". */
export function isAnnotated({ metadata }: Annotated, annotation: 'paused' | 'forceDelete'): boolean {
  return metadata.annotations?.[annotations[annotation]] === 'true';
}

/** The token of the sync request that has not been handled yet. */
export function pendingSyncRequest(
  resource: Annotated & { readonly status?: { readonly lastHandledSyncRequest?: string } },
): string | undefined {
  const token = resource.metadata.annotations?.[annotations.syncRequested];
  return token === resource.status?.lastHandledSyncRequest ? undefined : token;
}
