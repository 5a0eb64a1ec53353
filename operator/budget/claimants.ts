/** Finds the resources that name the same budget of the same gateway, and the one that owns it. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { addressOfGateway, allows, instanceKeyOf, instancesOfGateway, isKeyRefused } from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { budgetIdOf, claimKey } from './budgetResource.ts';
import type { Dependencies } from './dependencies.ts';
import { type BudgetProof, type Claimant, ownerBefore, proofFor } from './ownership.ts';

/** The resource that owns the budget at the gateway instead of this one, if any. */
export function ownerOf(dependencies: Dependencies, budget: GatewayBudget): GatewayBudget | undefined {
  const proof = currentProof(dependencies, budget);
  return ownerBefore({ budget, proof, sameInstance: true, keyRefused: false }, claimantsOf(dependencies, budget));
}

/** All allowed resources that name the same budget of the same gateway. A resource that only observes claims nothing. */
export function claimantsOf(dependencies: Dependencies, budget: GatewayBudget): readonly Claimant[] {
  const own = instanceKeyOf(budget);
  const address = addressOfGateway(dependencies, own);
  return instancesOfGateway(dependencies, own).flatMap((key) => {
    const instance = dependencies.instances.get(key);
    const sameInstance = keyText(key) === keyText(own);
    return dependencies.byClaim
      .get(claimKey(key, budgetIdOf(budget)))
      .filter(
        (other) => !isObserveOnly(other) && (instance === undefined || allows(instance, other.metadata.namespace)),
      )
      .map((other) => ({
        budget: other,
        proof: proofFor(dependencies, other, address),
        sameInstance,
        keyRefused: instance !== undefined && isKeyRefused(instance),
      }));
  });
}

/** The keys of all other resources that name the same budget of the same gateway, allowed or not. */
export function otherClaimantKeys(dependencies: Dependencies, budget: GatewayBudget): readonly ObjectKey[] {
  const self = keyText(budget.metadata);
  return instancesOfGateway(dependencies, instanceKeyOf(budget))
    .flatMap((key) => dependencies.byClaim.keys(claimKey(key, budgetIdOf(budget))))
    .filter((key) => keyText(key) !== self);
}

/** What is proved about a budget at the gateway that its instance names now. */
export function currentProof(dependencies: Dependencies, budget: GatewayBudget): BudgetProof {
  return proofFor(dependencies, budget, addressOfGateway(dependencies, instanceKeyOf(budget)));
}
