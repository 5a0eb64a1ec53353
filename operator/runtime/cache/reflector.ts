import type { Logger } from 'pino';
import { Backoff } from '../backoff.ts';
import { compareVersions, type ObjectCache, withoutManagedFields } from './cache.ts';
import { isKubeObject, type RestClient } from '../client/client.ts';
import { type Clock, sleep } from '../clock.ts';
import { ApiError, isExpired, isForbidden } from '../client/errors.ts';
import type { RuntimeMetrics } from '../metrics.ts';
import { apiVersionOf, type KubeObject, type ResourceKind } from '../objects.ts';

/** Settings of a reflector. */
export interface ReflectorOptions {
  /**
   * How long a watch may be silent before it counts as dead, in milliseconds. The server sends a bookmark about every minute.
   */
  readonly silentMs: number;
  /** The requested duration of a watch, in seconds: between this and twice this. */
  readonly watchSeconds: number;
  /** Shortest and longest backoff, in milliseconds. */
  readonly backoffMs: readonly [number, number];
  /** Objects per page. */
  readonly pageSize: number;
  /** How long the operator waits for missing permissions, in milliseconds. */
  readonly forbiddenMs: number;
}

export const DEFAULT_REFLECTOR_OPTIONS: ReflectorOptions = {
  silentMs: 90_000,
  watchSeconds: 300,
  backoffMs: [800, 30_000],
  pageSize: 500,
  forbiddenMs: 5_000,
};

/** A watch that ends sooner than this, without an event, counts as a failure. */
const SHORT_WATCH_MS = 1_000;
/** Number of consecutive failures after which the list is read again. */
const FAILURES_UNTIL_LIST = 4;
/** The shortest time between two log lines about failures. */
const LOG_EVERY_MS = 30_000;

/** How long a missing CustomResourceDefinition is not logged. */
const INSTALLING_MS = 10_000;

type WatchEnd = 'closed' | 'expired' | 'silent' | 'malformed';

/**
 * Keeps a cache in sync with the API server. Reads the list in pages, then watches from its resourceVersion, and
 * resumes the watch after every interruption. Reads the list again only if the server cannot resume (410), sends an
 * unreadable event, keeps failing, or was restored from a backup. Never gives up.
 */
export class Reflector<T extends KubeObject> {
  readonly #client: RestClient;
  readonly #kind: ResourceKind<T>;
  readonly #namespace: string | undefined;
  readonly #cache: ObjectCache<T>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  /** Where the watch resumes; undefined: read the list first. */
  #resourceVersion: string | undefined;
  /** The newest resourceVersion so far, to detect a server that was restored from a backup. */
  #newest = '0';
  #first = true;
  /** Whether no watch was opened since the list was read. */
  #justListed = false;
  #retry = new AbortController();
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #maySkipNamespace: boolean;
  /** When the first list was first rejected with 403; undefined if it was not. */
  #forbiddenSince: number | undefined;
  /** When the current outage began; undefined without an outage. */
  #downSince: number | undefined;

  constructor(dependencies: {
    readonly client: RestClient;
    readonly kind: ResourceKind<T>;
    /** undefined: all namespaces. */
    readonly namespace: string | undefined;
    readonly cache: ObjectCache<T>;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: RuntimeMetrics;
    readonly options: ReflectorOptions;
    /**
     * Whether the cache counts as synced without this namespace if the operator has no permission to read it. Then the other
     * namespaces are reconciled.
     */
    readonly maySkipNamespace?: boolean;
  }) {
    this.#client = dependencies.client;
    this.#kind = dependencies.kind;
    this.#namespace = dependencies.namespace;
    this.#cache = dependencies.cache;
    this.#clock = dependencies.clock;
    this.#metrics = dependencies.metrics;
    this.#options = dependencies.options;
    this.#maySkipNamespace = dependencies.maySkipNamespace ?? false;
    this.#log = dependencies.log.child({
      resource: `${dependencies.kind.plural}.${apiVersionOf(dependencies.kind)}`,
      ...(dependencies.namespace === undefined ? {} : { namespace: dependencies.namespace }),
    });
    this.#backoff = new Backoff(dependencies.clock, ...dependencies.options.backoffMs);
  }

  /** Runs until the signal is aborted. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    // A function, because the compiler does not know that the signal may be aborted in the meantime.
    const running = (): boolean => !signal.aborted;
    while (running()) {
      try {
        if (this.#resourceVersion === undefined) await this.#list(signal);
        const useful = await this.#watch(signal);
        if (useful) {
          this.#backoff.reset();
          continue;
        }
      } catch (error) {
        if (!running()) return;
        this.#logFailure(error);
        this.#skipForbiddenNamespace(error);
        await this.#pause(signal, error instanceof ApiError ? error.retryAfterMs : undefined);
        continue;
      }
      if (running()) await this.#pause(signal, undefined);
    }
  }

  /** Ends the current backoff, for example because the API server is reachable again. */
  retryNow(): void {
    this.#backoff.reset();
    this.#retry.abort();
  }

  /** Skips a namespace without permissions. If the permissions come later, its objects are reported as changes. */
  #skipForbiddenNamespace(error: unknown): void {
    if (!this.#first || !this.#maySkipNamespace || this.#namespace === undefined) return;
    if (!isForbidden(error)) {
      this.#forbiddenSince = undefined;
      return;
    }
    const now = this.#clock.monotonic();
    this.#forbiddenSince ??= now;
    if (now - this.#forbiddenSince < this.#options.forbiddenMs) return;
    this.#first = false;
    this.#cache.skipSource();
    this.#log.error(
      'The operator has no permissions in this namespace. Bind its ClusterRole there, or remove the namespace from --watch-namespaces. Other namespaces are reconciled.',
    );
  }

  async #pause(signal: AbortSignal, atLeastMs: number | undefined): Promise<void> {
    const ms = Math.max(this.#backoff.next(), atLeastMs ?? 0);
    if (this.#backoff.failures % FAILURES_UNTIL_LIST === 0) this.#resourceVersion = undefined;
    this.#retry = new AbortController();
    await sleep(this.#clock, ms, AbortSignal.any([signal, this.#retry.signal]));
  }

  async #list(signal: AbortSignal): Promise<void> {
    const listing = await this.#client.listAt(this.#kind, {
      ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }),
      pageSize: this.#options.pageSize,
      signal,
      each: withoutManagedFields,
    });
    this.#metrics.lists.inc({ kind: this.#kind.kind });
    const rewound = this.#isOlder(listing.resourceVersion);
    if (rewound) {
      this.#log.warn(
        'The resourceVersion of the API server went back, as after a restored backup; reloading the cache.',
      );
      this.#newest = '0';
    }
    this.#cache.replace(listing.items, listing.resourceVersion, this.#namespace, { rewound, initial: this.#first });
    this.#first = false;
    this.#justListed = true;
    this.#advanceTo(listing.resourceVersion);
    this.#metrics.cacheObjects.set({ kind: this.#kind.kind }, this.#cache.size);
    this.#recovered();
  }

  /**
   * Closes a resumed watch if the server was restored from a backup. Such a server sends nothing until it has reached the
   * resourceVersion again, and then only the changes after it. Each interruption may have been a restart for that, and a later
   * one interrupts this watch.
   * @param signal aborted when the watch ends
   * @returns whether it was
   */
  async #detectRestore(close: () => void, signal: AbortSignal): Promise<boolean> {
    const backoff = new Backoff(this.#clock, ...this.#options.backoffMs);
    while (!signal.aborted) {
      const newest = this.#newest;
      const version = await this.#client
        .currentVersion(this.#kind, {
          ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }),
          signal,
        })
        .catch(() => undefined);
      if (version === undefined) {
        await sleep(this.#clock, backoff.next(), signal);
        continue;
      }
      if ((compareVersions(version, newest) ?? 0) >= 0) return false;
      close();
      return true;
    }
    return false;
  }

  /** Whether a resourceVersion of the server is older than the newest one so far. */
  #isOlder(version: string): boolean {
    return (compareVersions(version, this.#newest) ?? 0) < 0;
  }

  /** @returns whether the watch was useful (it lasted, or sent events) and may be resumed at once */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const from = this.#resourceVersion;
    if (from === undefined) return true;
    const seconds = this.#options.watchSeconds;
    const opened = this.#clock.monotonic();
    let receivedEvent = false;
    let end: WatchEnd | 'error' = 'error';
    const isResumed = !this.#justListed;
    this.#justListed = false;
    const ended = new AbortController();
    let detection: Promise<boolean> | undefined;
    let isRestored = false;
    try {
      const stream = await this.#client.watch(this.#kind, {
        ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }),
        resourceVersion: from,
        timeoutSeconds: Math.ceil(seconds * (1 + this.#clock.random())),
        silentMs: this.#options.silentMs,
        signal,
      });
      this.#recovered();
      if (isResumed) detection = this.#detectRestore(stream.close.bind(stream), ended.signal);
      try {
        end = 'closed';
        for await (const line of readLines(stream.chunks)) {
          const outcome = this.#handleLine(line);
          if (outcome !== 'taken') {
            end = outcome;
            break;
          }
          receivedEvent = true;
        }
      } catch (error) {
        if (error instanceof ApiError) {
          end = 'error';
          throw error;
        }
        end = isSilence(error) ? 'silent' : error instanceof LineTooLongError ? 'malformed' : 'closed';
        if (!signal.aborted) this.#log.debug({ err: error }, 'The watch was interrupted; resuming it.');
      } finally {
        stream.close();
        ended.abort();
        isRestored = (await detection) ?? false;
      }
    } catch (error) {
      if (isExpired(error)) end = 'expired';
      else throw error;
    } finally {
      if (!signal.aborted) this.#metrics.watches.inc({ kind: this.#kind.kind, end });
    }
    if (isRestored || end === 'expired' || end === 'malformed') {
      this.#log.info({ end }, 'The watch cannot be resumed; listing again.');
      this.#resourceVersion = undefined;
    }
    return isRestored || receivedEvent || end === 'silent' || this.#clock.monotonic() - opened >= SHORT_WATCH_MS;
  }

  #handleLine(line: string): 'taken' | WatchEnd {
    let event: { type?: unknown; object?: unknown };
    try {
      event = JSON.parse(line) as typeof event;
    } catch {
      this.#log.warn('The API server sent a watch event that is not JSON.');
      return 'malformed';
    }
    const { type, object } = event;
    if (type === 'ERROR') {
      const { code, reason, message } = (object ?? {}) as { code?: unknown; reason?: unknown; message?: unknown };
      if (code === 410 || reason === 'Expired' || reason === 'Gone') return 'expired';
      throw new ApiError(
        `The API server ended the watch with an error: ${typeof message === 'string' ? message : 'no reason given'}`,
        {
          status: typeof code === 'number' ? code : 500,
          reason: typeof reason === 'string' ? reason : '',
        },
      );
    }
    if (type === 'BOOKMARK') {
      const version = (object as { metadata?: { resourceVersion?: unknown } } | undefined)?.metadata?.resourceVersion;
      if (typeof version !== 'string') return 'malformed';
      if (this.#isOlder(version)) return 'expired';
      this.#advanceTo(version);
      return 'taken';
    }
    if (!isKubeObject(object)) return 'malformed';
    // The server has validated the object against the schema of its kind.
    const item = object as T;
    // Versions only grow in a watch.
    if (this.#isOlder(item.metadata.resourceVersion)) return 'expired';
    if (type === 'ADDED' || type === 'MODIFIED') this.#cache.upsert(withoutManagedFields(item));
    else if (type === 'DELETED') this.#cache.remove(item);
    else return 'malformed';
    this.#advanceTo(item.metadata.resourceVersion);
    this.#metrics.cacheObjects.set({ kind: this.#kind.kind }, this.#cache.size);
    return 'taken';
  }

  #advanceTo(version: string): void {
    this.#resourceVersion = version;
    if ((compareVersions(version, this.#newest) ?? 0) > 0) this.#newest = version;
  }

  #logFailure(error: unknown): void {
    const now = this.#clock.monotonic();
    this.#downSince ??= now;
    const notServed = error instanceof ApiError && error.status === 404;
    // At the first start, the definition is not installed yet.
    if (notServed && now - this.#downSince < INSTALLING_MS) return;
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    this.#log.warn(
      { err: error },
      notServed
        ? 'The API server does not serve this resource; retrying. Check that its CustomResourceDefinition is installed.'
        : 'Cannot list or watch; retrying.',
    );
  }

  #recovered(): void {
    this.#downSince = undefined;
    if (this.#loggedAt === Number.NEGATIVE_INFINITY) return;
    this.#loggedAt = Number.NEGATIVE_INFINITY;
    this.#log.info('List and watch recovered.');
  }
}

/** Larger than any object that etcd stores (1.5 MiB), with room for escapes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Thrown for a watch line that is longer than any object. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

/** Splits a stream of bytes into lines. Drops empty lines, and an incomplete last line. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end);
      const line = rest.length === 0 ? piece.toString() : Buffer.concat([...rest, piece]).toString();
      rest = [];
      length = 0;
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > MAX_LINE_BYTES) throw new LineTooLongError('The watch sent a line that is longer than any object.');
    }
  }
}

/** Whether a watch ended because the server was silent for too long. */
export function isSilence(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'UND_ERR_BODY_TIMEOUT';
}
