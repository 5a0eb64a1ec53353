/** Finds the resources that name the same budget of the same gateway, and the one that owns it. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { allows, gatewayDigest as digestOf, instanceKeyOf, instancesOfGateway } from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { budgetIdOf, claimKey } from './budgetResource.ts';
import type { Dependencies } from './dependencies.ts';
import { type Claimant, ownerBefore } from './ownership.ts';

/** The resource that owns the budget at the gateway instead of this one, if any. */
export function ownerOf(dependencies: Dependencies, budget: GatewayBudget): GatewayBudget | undefined {
  return ownerBefore(budget, claimantsOf(dependencies, budget), gatewayDigest(dependencies, budget));
}

/** All allowed resources that name the same budget of the same gateway. A resource that only observes claims nothing. */
export function claimantsOf(dependencies: Dependencies, budget: GatewayBudget): readonly Claimant[] {
  const own = instanceKeyOf(budget);
  return instancesOfGateway(dependencies, own).flatMap((key) => {
    const instance = dependencies.instances.get(key);
    const sameInstance = keyText(key) === keyText(own);
    return dependencies.byClaim
      .get(claimKey(key, budgetIdOf(budget)))
      .filter(
        (other) => !isObserveOnly(other) && (instance === undefined || allows(instance, other.metadata.namespace)),
      )
      .map((other) => ({ budget: other, sameInstance }));
  });
}

/** The keys of all other resources that name the same budget of the same gateway, allowed or not. */
export function otherClaimantKeys(dependencies: Dependencies, budget: GatewayBudget): readonly ObjectKey[] {
  const self = keyText(budget.metadata);
  return instancesOfGateway(dependencies, instanceKeyOf(budget))
    .flatMap((key) => dependencies.byClaim.keys(claimKey(key, budgetIdOf(budget))))
    .filter((key) => keyText(key) !== self);
}

/** Digest of the address of the budget's gateway, if known. */
export function gatewayDigest(dependencies: Dependencies, budget: GatewayBudget): string | undefined {
  return digestOf(dependencies, instanceKeyOf(budget));
}
