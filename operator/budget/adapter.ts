/** Connects budget resources to the budgets of their gateways: see {@link Adapter}. */
import {
  annotations,
  type GatewayBudget,
  gatewayBudgetNames,
  type GatewayBudgetStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import {
  type Access,
  type Adapter,
  type AdapterWords,
  type AnyRecord,
  type Claim,
  failed,
  type Outcome,
  ownedByAnother,
  type RecordDeletion,
  type StatusGateway,
  type Sync,
} from '../external/external.ts';
import { isOperatorRow, type TierField } from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';
import { BudgetRecord, isOwn, observeTier } from './record.ts';
import { budgetIdOf, type BudgetOutcome, budgetWords, nextStatus } from './status.ts';
import { inUseMessage, usersOf } from './users.ts';

const words: AdapterWords<GatewayBudget> = {
  ...budgetWords,
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
  readonly words = words;
  readonly isThrottled = true;
  readonly ownerGone = undefined;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The API server rejects an id with the prefix of the operator's own rows, unless the resource is older. */
  refusal(budget: GatewayBudget): Outcome | undefined {
    const id = budgetIdOf(budget);
    if (!isOperatorRow(id)) return undefined;
    const message = `Budget id ${id} has the prefix of the operator's own budgets. Create another GatewayBudget with another budgetId, and delete this one.`;
    return failed('BudgetIdReserved', { message });
  }

  ownedByAnother(budget: GatewayBudget, owner: Claim<GatewayBudget>): Outcome {
    return conflict(budget, owner.resource);
  }

  record(sync: Sync<GatewayBudget, TierField>): AnyRecord {
    return new BudgetRecord(this.#dependencies, sync);
  }

  nextStatus(budget: GatewayBudget, outcome: BudgetOutcome, now: Date, gateway: StatusGateway): GatewayBudgetStatus {
    return nextStatus(budget, outcome, usersOf(this.#dependencies, budget).customers.length, now, gateway);
  }

  inUse(budget: GatewayBudget): string | undefined {
    return inUseMessage(budget, usersOf(this.#dependencies, budget));
  }

  async delete(
    { resource: budget, client, signal, claim, policy }: Access<GatewayBudget, TierField>,
    deletion: RecordDeletion,
  ): Promise<boolean> {
    if (deletion === 'none') return false;
    const id = budgetIdOf(budget);
    const observed = await observeTier(client, id, { signal, priority: 'urgent' });
    if (observed === undefined) return true;
    if (!isOwn(budget, observed, { ownership: claim.ownership, policy })) return false;
    await client.budgetDelete(id, { signal, priority: 'urgent' });
    return true;
  }
}

/** Another resource owns the budget. */
export function conflict(budget: GatewayBudget, owner: GatewayBudget): Outcome {
  const managed = `budget ${budgetIdOf(budget)} of this gateway`;
  return ownedByAnother(words, budget, owner, managed, 'Use another budgetId, or delete one of the two resources.');
}
