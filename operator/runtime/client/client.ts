import type { Duplex } from 'node:stream';
import { PatchStrategy } from '@kubernetes/client-node';
import { OPERATOR_NAME } from '../../operatorName.ts';
import type { ApplyObject, KubeClient, MergePatch, Subresource } from '../contract.ts';
import { ApiError, isExpired, isNotFound } from './errors.ts';
import type { KubeObject, ObjectKey, ResourceKind } from '../objects.ts';
import { apiVersionOf, keyOf } from '../objects.ts';
import type { ApiStream, Transport } from './transport.ts';

/** The field manager of the operator's writes, as in `kubectl get --show-managed-fields`. */
export const FIELD_MANAGER = OPERATOR_NAME;
/** Objects per page: client-go's default. */
const PAGE_SIZE = 500;

/** All objects of a collection at one resourceVersion. */
export interface Listing<T extends KubeObject> {
  readonly items: T[];
  /** Where to start a watch. */
  readonly resourceVersion: string;
}

/** Callbacks before and after writes. */
export interface ClientHooks {
  /** Called before each write. Throws to forbid it. */
  readonly beforeWrite?: () => void;
  /** Called after each write with the returned object and the resourceVersion that guarded the write. */
  readonly afterWrite?: (kind: ResourceKind, object: KubeObject, guardedBy: string | undefined) => void;
}

/** See {@link KubeClient}. */
export class RestClient implements KubeClient {
  readonly #transport: Transport;
  readonly #hooks: ClientHooks;

  constructor(transport: Transport, hooks: ClientHooks = {}) {
    this.#transport = transport;
    this.#hooks = hooks;
  }

  async get<T extends KubeObject>(kind: ResourceKind<T>, key: ObjectKey): Promise<T> {
    if (!isSegment(key.name)) {
      throw new ApiError(`No ${kind.kind} can have this name.`, { status: 404, reason: 'NotFound' });
    }
    return checked(await this.#transport.send({ method: 'GET', path: pathOf(kind, key) })) as T;
  }

  async list<T extends KubeObject>(
    kind: ResourceKind<T>,
    options: { namespace?: string; labelSelector?: string; fieldSelector?: string } = {},
  ): Promise<T[]> {
    return (await this.listAt(kind, options)).items;
  }

  /** As {@link list}, with the list's resourceVersion. */
  async listAt<T extends KubeObject>(
    kind: ResourceKind<T>,
    options: {
      namespace?: string;
      labelSelector?: string;
      fieldSelector?: string;
      pageSize?: number;
      signal?: AbortSignal;
      each?: (item: T) => T;
    } = {},
  ): Promise<Listing<T>> {
    try {
      return await this.#pages(kind, options, options.pageSize ?? PAGE_SIZE);
    } catch (error) {
      // All pages have one resourceVersion. A busy or slow cluster may compact it before the last page is read.
      if (!isExpired(error)) throw error;
      return this.#pages(kind, options, undefined);
    }
  }

  /** The current resourceVersion of a collection, without its objects. @throws ApiError */
  async currentVersion(
    kind: ResourceKind,
    options: { readonly namespace?: string; readonly signal: AbortSignal },
  ): Promise<string> {
    const page = listPage(
      await this.#transport.send({
        method: 'GET',
        path: collectionPath(kind, options.namespace ?? ''),
        query: { limit: '1', ...(kind.labelSelector === undefined ? {} : { labelSelector: kind.labelSelector }) },
        signal: options.signal,
      }),
    );
    return page.resourceVersion;
  }

  /** Opens a watch from a resourceVersion. @throws ApiError */
  watch(
    kind: ResourceKind,
    options: {
      namespace?: string;
      resourceVersion: string;
      timeoutSeconds: number;
      silentMs: number;
      signal: AbortSignal;
    },
  ): Promise<ApiStream> {
    return this.#transport.stream(
      collectionPath(kind, options.namespace ?? ''),
      {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: options.resourceVersion,
        timeoutSeconds: String(options.timeoutSeconds),
        ...(kind.labelSelector === undefined ? {} : { labelSelector: kind.labelSelector }),
      },
      options.silentMs,
      options.signal,
    );
  }

  async create<T extends KubeObject>(kind: ResourceKind<T>, body: ApplyObject): Promise<T> {
    this.#hooks.beforeWrite?.();
    const created = checked(
      await this.#transport.send({
        method: 'POST',
        path: collectionPath(kind, body.metadata?.namespace ?? ''),
        query: { fieldManager: FIELD_MANAGER },
        body: { ...body, apiVersion: apiVersionOf(kind), kind: kind.kind },
      }),
    ) as T;
    this.#hooks.afterWrite?.(kind, created, undefined);
    return created;
  }

  /** Replaces the whole object, guarded by `metadata.resourceVersion`. @throws ApiError 409 if the object changed */
  async replace<T extends KubeObject>(kind: ResourceKind<T>, key: ObjectKey, body: ApplyObject): Promise<T> {
    return this.#write(kind, 'PUT', pathOf(kind, key), { fieldManager: FIELD_MANAGER }, body, undefined);
  }

  async replaceStatus<T extends KubeObject>(kind: ResourceKind<T>, object: T, status: object): Promise<T> {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion },
      status,
    };
    const path = pathOf(kind, keyOf(object), 'status');
    return this.#write(kind, 'PUT', path, { fieldManager: FIELD_MANAGER }, body, undefined);
  }

  async apply<T extends KubeObject>(
    kind: ResourceKind<T>,
    body: ApplyObject,
    options: { force?: boolean; fieldManager?: string; subresource?: Subresource } = {},
  ): Promise<T> {
    const name = body.metadata?.name;
    if (name === undefined || name === '') throw new TypeError('An object to apply requires a metadata.name.');
    return this.#write(
      kind,
      'PATCH',
      pathOf(kind, { namespace: body.metadata?.namespace ?? '', name }, options.subresource),
      { fieldManager: options.fieldManager ?? FIELD_MANAGER, force: String(options.force ?? true) },
      { ...body, apiVersion: apiVersionOf(kind), kind: kind.kind },
      PatchStrategy.ServerSideApply,
    );
  }

  async patch<T extends KubeObject>(
    kind: ResourceKind<T>,
    key: ObjectKey,
    patch: MergePatch,
    options: { subresource?: Subresource } = {},
  ): Promise<T> {
    return this.#write(
      kind,
      'PATCH',
      pathOf(kind, key, options.subresource),
      { fieldManager: FIELD_MANAGER },
      patch,
      PatchStrategy.MergePatch,
    );
  }

  async delete(
    kind: ResourceKind,
    key: ObjectKey,
    options: { uid?: string; resourceVersion?: string } = {},
  ): Promise<void> {
    this.#hooks.beforeWrite?.();
    const preconditions = Object.keys(options).length === 0 ? {} : { preconditions: options };
    try {
      await this.#transport.send({
        method: 'DELETE',
        path: pathOf(kind, key),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', ...preconditions },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  portForward(pod: ObjectKey, port: number): Promise<Duplex> {
    const { namespace, name } = pod;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/portforward`;
    return this.#transport.portForward(path, port);
  }

  async #write<T extends KubeObject>(
    kind: ResourceKind<T>,
    method: 'PUT' | 'PATCH',
    path: string,
    query: Readonly<Record<string, string>>,
    body: unknown,
    contentType: string | undefined,
  ): Promise<T> {
    this.#hooks.beforeWrite?.();
    const written = checked(
      await this.#transport.send({ method, path, query, body, ...(contentType === undefined ? {} : { contentType }) }),
    ) as T;
    this.#hooks.afterWrite?.(kind, written, guardOf(body));
    return written;
  }

  async #pages<T extends KubeObject>(
    kind: ResourceKind<T>,
    options: {
      namespace?: string;
      labelSelector?: string;
      fieldSelector?: string;
      signal?: AbortSignal;
      each?: (item: T) => T;
    },
    pageSize: number | undefined,
  ): Promise<Listing<T>> {
    const labelSelector = options.labelSelector ?? kind.labelSelector;
    const items: T[] = [];
    let token = '';
    for (;;) {
      const page = listPage(
        await this.#transport.send({
          method: 'GET',
          path: collectionPath(kind, options.namespace ?? ''),
          query: {
            ...(labelSelector === undefined ? {} : { labelSelector }),
            ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
            ...(pageSize === undefined ? {} : { limit: String(pageSize) }),
            ...(token === '' ? {} : { continue: token }),
          },
          ...(options.signal === undefined ? {} : { signal: options.signal }),
          timeoutMs: 60_000,
        }),
      );
      for (const item of page.items) {
        // The items of a list omit apiVersion and kind.
        const whole = checked({ apiVersion: apiVersionOf(kind), kind: page.kind, ...item }) as T;
        items.push(options.each === undefined ? whole : options.each(whole));
      }
      if (page.token === '') return { items, resourceVersion: page.resourceVersion };
      token = page.token;
    }
  }
}

/** The path of a collection in one namespace, or in all if `namespace` is empty. */
export function collectionPath(kind: ResourceKind, namespace: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const within = kind.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${within}/${kind.plural}`;
}

/**
 * Whether the API server accepts a text as one path segment (its rule IsValidPathSegmentName). `..` would lead to another path,
 * and encoding does not change dots.
 */
function isSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name) && name.isWellFormed();
}

/**
 * The path of one object, or of one of its subresources.
 * @throws ApiError 422 if no object can have that name
 */
export function pathOf(kind: ResourceKind, key: ObjectKey, subresource?: Subresource): string {
  if (kind.namespaced && key.namespace === '') {
    throw new TypeError(`A ${kind.kind} requires a namespace.`);
  }
  if (!isSegment(key.name) || (kind.namespaced && !isSegment(key.namespace))) {
    throw new ApiError(`No ${kind.kind} can have this name.`, { status: 422, reason: 'Invalid' });
  }
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Whether the JSON is a stored Kubernetes object. */
export function isKubeObject(json: unknown): json is KubeObject {
  if (typeof json !== 'object' || json === null) return false;
  const metadata = (json as { metadata?: unknown }).metadata;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { name, uid, resourceVersion } = metadata as Record<string, unknown>;
  return typeof name === 'string' && typeof uid === 'string' && typeof resourceVersion === 'string';
}

function guardOf(body: unknown): string | undefined {
  const version = (body as { metadata?: { resourceVersion?: unknown } }).metadata?.resourceVersion;
  return typeof version === 'string' ? version : undefined;
}

/** Checks only the metadata: the API server has validated the rest against the schema of the kind. */
function checked(json: unknown): KubeObject {
  if (!isKubeObject(json)) {
    throw new ApiError('The API server returned an object without name, uid or resourceVersion.', { status: 0 });
  }
  return json;
}

function listPage(json: unknown): { items: readonly object[]; kind: string; token: string; resourceVersion: string } {
  const { items, kind, metadata } = (json ?? {}) as {
    items?: unknown;
    kind?: unknown;
    metadata?: { continue?: unknown; resourceVersion?: unknown };
  };
  if (typeof metadata?.resourceVersion !== 'string' || !(items === null || Array.isArray(items))) {
    throw new ApiError('The API server returned a list without items or resourceVersion.', { status: 0 });
  }
  return {
    items: (items ?? []) as readonly object[],
    kind: typeof kind === 'string' ? kind.replace(/List$/, '') : '',
    token: typeof metadata.continue === 'string' ? metadata.continue : '',
    resourceVersion: metadata.resourceVersion,
  };
}
