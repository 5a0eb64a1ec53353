/** What one reconcile of a resource knows. */
import type { GatewayConnection } from '../connection/connection.ts';
import { CurrentResource } from '../lifecycle/lifecycle.ts';
import type { Adapter, ExternalDependencies } from './adapter.ts';
import type { Claim } from './claims.ts';
import type { OrphanReason } from './deletion.ts';
import { leftGateway, transitions } from './events.ts';
import { type External, isDecided, type Outcome, type StatusGateway } from './resource.ts';

/** The resource of one reconcile. Every step reads and writes it through this object. */
export class Run<T extends External, Field extends string> extends CurrentResource<T> {
  readonly #dependencies: ExternalDependencies<T, Field>;
  readonly #adapter: Adapter<T, Field>;
  readonly #resource: T;
  #claim: Claim<T, Field> | undefined;

  constructor(dependencies: ExternalDependencies<T, Field>, adapter: Adapter<T, Field>, resource: T) {
    super(dependencies, resource);
    this.#dependencies = dependencies;
    this.#adapter = adapter;
    this.#resource = resource;
  }

  /** What the resource claimed at its gateway when the run began. */
  get claim(): Claim<T, Field> {
    this.#claim ??= this.#dependencies.claims.of(this.#resource);
    return this.#claim;
  }

  /** The claim at the gateway of a connection: an address that was unknown, or that has changed, is another gateway. */
  claimAt(connection: GatewayConnection): Claim<T, Field> {
    const address = this.#dependencies.identity.addressOfConnection(connection);
    if (this.claim.address !== address) this.#claim = this.#dependencies.claims.of(this.#resource, address);
    return this.claim;
  }

  /** Changes fields of the status. */
  async updateStatus(change: Partial<NonNullable<T['status']>>): Promise<void> {
    await this.#write(this.latest, { ...this.latest.status, ...change });
  }

  /** The status after an outcome. */
  nextStatus(outcome: Outcome): NonNullable<T['status']> {
    return this.#adapter.nextStatus(this.latest, outcome, this.#gatewayOf(outcome));
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: Outcome): Promise<void> {
    const { events, metrics } = this.#dependencies;
    const before = this.latest;
    const leaves = isDecided(outcome) && this.#gatewayOf(outcome).isElsewhere && before.status?.specHash !== undefined;
    const after = this.nextStatus(outcome);
    await this.#write(before, after);
    if (leaves) {
      metrics.orphaned.inc({ reason: 'gateway_changed' satisfies OrphanReason });
      events.record(before, leftGateway(before, this.#adapter.words.idOf(before)));
    }
    for (const event of transitions(this.#adapter.condition, before, after, outcome.action)) {
      events.record(before, event);
    }
  }

  #gatewayOf({ address }: Outcome): StatusGateway {
    const { identity } = this.#dependencies;
    return {
      digest: address === undefined ? undefined : identity.digest(address),
      isElsewhere: identity.isElsewhere(this.latest.status?.gateway, address),
    };
  }

  async #write(before: T, status: object): Promise<void> {
    await this.writeStatus(before, status, (current) => this.#adapter.stillApplies(before, current));
  }
}
