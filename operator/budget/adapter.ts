/** Connects budget resources to the budgets of their gateways: see {@link Adapter}. */
import {
  annotations,
  type GatewayBudget,
  gatewayBudgetNames,
  type GatewayBudgetStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { type GatewayConnection, retryWithFreshKey } from '../connection/connection.ts';
import type {
  Adapter,
  AdapterWords,
  AnyRecord,
  Claim,
  ConnectionPurpose,
  Outcome,
  Run,
  StatusGateway,
} from '../external/external.ts';
import { isOperatorRow, type TierField } from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';
import * as outcomes from './outcomes.ts';
import { budgetIdOf, isOwn } from './ownership.ts';
import { BudgetRecord, observeTier } from './record.ts';
import { type BudgetOutcome, nextStatus } from './status.ts';
import { inUseMessage, usersOf } from './users.ts';

const words: AdapterWords<GatewayBudget> = {
  noun: 'budget',
  record: 'budget',
  recordOf: (budget) => `budget ${budgetIdOf(budget)}`,
  idOf: (budget) => `budget ${budgetIdOf(budget)}`,
  deleted: (budget) => `Budget ${budgetIdOf(budget)} was deleted at the gateway.`,
  notDeleted: (budget) =>
    `Budget ${budgetIdOf(budget)} at the gateway was not created by the operator. It was not deleted.`,
  forced: (budget) =>
    `The annotation ${annotations.forceDelete} is set. Budget ${budgetIdOf(budget)} may remain at the gateway.`,
};

export class BudgetAdapter implements Adapter<GatewayBudget, TierField> {
  readonly names = gatewayBudgetNames;
  readonly condition = 'Ready';
  readonly words = words;
  readonly isThrottled = true;
  readonly ownerGone = undefined;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  refusal(budget: GatewayBudget): Outcome | undefined {
    return isOperatorRow(budgetIdOf(budget)) ? outcomes.reserved(budget) : undefined;
  }

  async connect({ spec, metadata }: GatewayBudget, purpose: ConnectionPurpose): Promise<GatewayConnection> {
    return await this.#dependencies.connections[purpose](spec.instanceRef, metadata.namespace);
  }

  ownedByAnother(budget: GatewayBudget, owner: Claim<GatewayBudget>): Outcome {
    return outcomes.ownedByAnother(budget, owner.resource);
  }

  record(run: Run<GatewayBudget, TierField>, connection: GatewayConnection, signal: AbortSignal): AnyRecord {
    return new BudgetRecord(this.#dependencies, run, connection, signal);
  }

  nextStatus(budget: GatewayBudget, outcome: BudgetOutcome, { digest }: StatusGateway): GatewayBudgetStatus {
    const users = usersOf(this.#dependencies, budget).customers.length;
    return nextStatus(budget, outcome, users, this.#dependencies.now(), digest);
  }

  inUse(budget: GatewayBudget): string | undefined {
    return inUseMessage(budget, usersOf(this.#dependencies, budget));
  }

  async delete(budget: GatewayBudget, signal: AbortSignal): Promise<boolean> {
    const { clients, claims } = this.#dependencies;
    const connection = await this.connect(budget, 'forDeletion');
    return await retryWithFreshKey(this.#dependencies, connection, async (fresh) => {
      const client = clients.for(fresh);
      const observed = await observeTier(client, budgetIdOf(budget), { signal, priority: 'urgent' });
      if (observed === undefined) return true;
      const { ownership } = claims.of(budget, this.#dependencies.identity.addressOfConnection(fresh));
      if (!isOwn(budget, observed, { ownership, policy: claims.adoptionPolicy(budget) })) return false;
      await client.budgetDelete(budgetIdOf(budget), { signal, priority: 'urgent' });
      return true;
    });
  }

  async deleteLost(budget: GatewayBudget, isTaken: boolean, signal: AbortSignal): Promise<boolean> {
    return !isTaken && this.inUse(budget) === undefined && (await this.delete(budget, signal));
  }
}
