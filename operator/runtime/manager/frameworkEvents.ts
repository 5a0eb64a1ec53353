import operatorFramework, { type ResourceEvent } from '@dot-i/k8s-operator';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Lister, Reconciler } from '../contract.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyText } from '../objects.ts';

const { ResourceEventType, ResourceMetaImpl } = operatorFramework;

/** The framework's metadata of an object. @throws Error if the object lacks a required field */
export function metaOf(plural: string, object: KubeObject): ResourceEvent['meta'] {
  return ResourceMetaImpl.createWithPlural(plural, object as unknown as KubernetesObject);
}

/**
 * Calls the framework's event callbacks from a cache and its work queue. So they have the guarantees of a reconcile: the events
 * of one object come one at a time and in order, only its latest state counts, missed deletions are delivered, and errors are
 * retried.
 */
export function eventReconciler(
  kind: ResourceKind,
  objects: Lister<KubeObject>,
  onEvent: (event: ResourceEvent) => Promise<void>,
): Reconciler {
  const delivered = new Map<string, KubeObject>();

  async function deliver(type: keyof typeof ResourceEventType, object: KubeObject): Promise<void> {
    // The framework's type has the same fields. Despite the types, its dates are strings, too.
    const event = object as unknown as KubernetesObject;
    await onEvent({ meta: metaOf(kind.plural, object), type: ResourceEventType[type], object: event });
  }

  return {
    async reconcile(key: ObjectKey) {
      const text = keyText(key);
      const before = delivered.get(text);
      const now = objects.get(key);
      if (before !== undefined && before.metadata.uid !== now?.metadata.uid) {
        await deliver('Deleted', before);
        delivered.delete(text);
      }
      if (now !== undefined) {
        await deliver(before?.metadata.uid === now.metadata.uid ? 'Modified' : 'Added', now);
        delivered.set(text, now);
      }
      return {};
    },
  };
}
