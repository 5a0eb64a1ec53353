import operatorFramework, { type ResourceEvent } from '@dot-i/k8s-operator';
import { CoreV1Api, type KubeConfig, type V1CustomResourceDefinitionVersion } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import { collectionPath } from '../client/client.ts';
import type { KubeClient, Lister } from '../contract.ts';
import { type ControllerSpec, when } from '../controller/controllerSpec.ts';
import { type KubeObject, resource, type ResourceKind } from '../objects.ts';
import { GuardedFinalizer, GuardedStatusWriter } from '../writers/guardedWriters.ts';
import { type CrdManifest, readCrd } from './crds.ts';
import { eventReconciler, metaOf } from './frameworkEvents.ts';

/**
 * Implements the API of the operator framework for subclasses (`watchResource`, `handleResourceFinalizer`, …) with this runtime
 * instead of the framework's own watches and requests.
 */
export abstract class FrameworkAdapter extends operatorFramework.default {
  constructor(log: Logger, kubeConfig: KubeConfig | undefined) {
    super(frameworkLogger(log));
    if (kubeConfig !== undefined) {
      this.kubeConfig = kubeConfig;
      this.k8sApi = kubeConfig.makeApiClient(CoreV1Api);
    }
  }

  /** The address of the API server. */
  abstract get server(): string;

  protected abstract get frameworkClient(): KubeClient;

  /** The cache of a kind. @param namespace the only namespace to cache; undefined: all watched namespaces */
  protected abstract frameworkCache(kind: ResourceKind, namespace: string | undefined): Lister<KubeObject>;

  protected abstract addController(spec: ControllerSpec): void;

  protected abstract addCrd(crd: CrdManifest): void;

  /**
   * Registers a CustomResourceDefinition. The leader installs or updates it before any controller runs.
   * @param crdFile a YAML file
   */
  protected override async registerCustomResourceDefinition(
    crdFile: string,
  ): Promise<{ group: string; versions: V1CustomResourceDefinitionVersion[]; plural: string }> {
    const crd = await readCrd(crdFile);
    this.addCrd(crd);
    return { group: crd.spec.group, versions: crd.spec.versions, plural: crd.spec.names.plural };
  }

  protected override getCustomResourceApiUri(group: string, version: string, plural: string, namespace = ''): string {
    return `${this.server}${collectionPath(resource({ group, version, kind: '', plural }), namespace)}`;
  }

  /** Delivers the events of one object one at a time and in order, those of different objects concurrently. */
  protected override watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: ResourceEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const kind = resource({ group, version, kind: '', plural });
    const cache = this.frameworkCache(kind, namespace);
    const controller = when(kind).reconcile(eventReconciler(kind, cache, onEvent));
    // Callbacks of the framework expect every event, including those of their own writes.
    this.addController({ ...controller, name: plural, changed: () => true, reactsToItself: true });
    return Promise.resolve();
  }

  /** @throws ApiError; the framework's method returns null instead */
  protected override async setResourceStatus(
    meta: ResourceEvent['meta'],
    status: unknown,
  ): Promise<ResourceEvent['meta']> {
    const { kind, key } = objectOf(meta);
    const object = await this.frameworkClient.get(kind, key);
    const written = await new GuardedStatusWriter(this.frameworkClient, kind).write(object, asObject(status));
    return metaOf(kind.plural, written);
  }

  /** @throws ApiError; the framework's method returns null instead */
  protected override async patchResourceStatus(
    meta: ResourceEvent['meta'],
    status: unknown,
  ): Promise<ResourceEvent['meta']> {
    const { kind, key } = objectOf(meta);
    const patch = { status: asObject(status) };
    return metaOf(kind.plural, await this.frameworkClient.patch(kind, key, patch, { subresource: 'status' }));
  }

  /** @throws ApiError: 409 if the object has changed */
  protected override async setResourceFinalizers(meta: ResourceEvent['meta'], finalizers: string[]): Promise<void> {
    const { kind, key } = objectOf(meta);
    const { resourceVersion } = meta;
    await this.frameworkClient.patch(kind, key, { metadata: { finalizers, resourceVersion } });
  }

  protected override async handleResourceFinalizer(
    event: ResourceEvent,
    name: string,
    deleteAction: (event: ResourceEvent) => Promise<void>,
  ): Promise<boolean> {
    if (event.type === operatorFramework.ResourceEventType.Deleted) return false;
    const finalizer = new GuardedFinalizer(this.frameworkClient, objectOf(event.meta).kind, name);
    // The object is from this runtime's cache: see eventReconciler.
    const object = event.object as unknown as KubeObject;
    if (object.metadata.deletionTimestamp === undefined) {
      if (finalizer.isSet(object)) return false;
      await finalizer.add(object);
      return true;
    }
    if (finalizer.isSet(object)) {
      await deleteAction(event);
      await finalizer.remove(object);
    }
    return true;
  }
}

/** The framework's id is `plural.group/version`, or `plural.version` in the core group. */
function objectOf(meta: ResourceEvent['meta']): { kind: ResourceKind; key: { namespace: string; name: string } } {
  const dot = meta.id.indexOf('.');
  const [group = '', version = ''] = meta.apiVersion.includes('/') ? meta.apiVersion.split('/') : ['', meta.apiVersion];
  return {
    kind: resource(
      { group, version, kind: meta.kind, plural: meta.id.slice(0, dot) },
      { namespaced: meta.namespace !== undefined },
    ),
    key: { namespace: meta.namespace ?? '', name: meta.name },
  };
}

function asObject(status: unknown): object {
  if (typeof status !== 'object' || status === null) throw new TypeError('A status must be an object.');
  return status;
}

function frameworkLogger(log: Logger): ConstructorParameters<typeof operatorFramework.default>[0] & object {
  return {
    debug: (message) => {
      log.debug(message);
    },
    info: (message) => {
      log.info(message);
    },
    warn: (message) => {
      log.warn(message);
    },
    error: (message) => {
      log.error(message);
    },
  };
}
