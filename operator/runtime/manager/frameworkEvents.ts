import operatorFramework, { type ResourceEvent } from '@dot-i/k8s-operator';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Lister, Reconciler } from '../contract.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { keyText } from '../objects.ts';

/** What the framework calls the three things that can happen. */
const { ResourceEventType, ResourceMetaImpl } = operatorFramework;

/** The framework's idea of an object's whereabouts and version. @throws Error when the object lacks them */
export function metaOf(plural: string, object: KubeObject): ResourceEvent['meta'] {
  return ResourceMetaImpl.createWithPlural(plural, object as unknown as KubernetesObject);
}

/**
 * Serves the framework's event callbacks from a cache and its queue, so that they get what a reconcile gets: one event
 * of an object at a time, in order, the last state only, deletions that happened unseen, and again after an error.
 */
export function eventReconciler(
  kind: ResourceKind,
  objects: Lister<KubeObject>,
  onEvent: (event: ResourceEvent) => Promise<void>,
): Reconciler {
  const delivered = new Map<string, KubeObject>();

  async function deliver(type: keyof typeof ResourceEventType, object: KubeObject): Promise<void> {
    // The framework's type has the same fields; its dates are strings in truth, too.
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
