/** Resources that stand for a record at a gateway: customers and budgets. */
import type {
  Condition,
  GatewayBudgetStatus,
  GatewayCustomerStatus,
  InstanceRef,
  ObjectMeta,
  TookOver,
} from '../api/v1alpha1/v1alpha1.ts';
import type { KubeObject } from '../runtime/runtime.ts';

/** See `status.ownership` of the kinds. */
export type RecordOwnership = NonNullable<GatewayCustomerStatus['ownership'] | GatewayBudgetStatus['ownership']>;

/** The part of a status that all kinds have. */
export interface ExternalStatus {
  readonly ownership?: RecordOwnership;
  readonly gateway?: string;
  readonly specHash?: string;
  readonly appliedFields?: readonly string[];
  readonly tookOver?: TookOver;
  readonly observedGeneration?: number;
  readonly lastHandledSyncRequest?: string;
  readonly conditions?: readonly Condition[];
}

/** The part of a resource that all kinds have. */
export interface External extends KubeObject {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly instanceRef: InstanceRef;
    readonly managementPolicy?: 'Manage' | 'Observe';
    readonly adoptionPolicy?: 'Adopt' | 'Refuse';
    readonly deletionPolicy?: 'Delete' | 'Orphan';
  };
  readonly status?: ExternalStatus;
}
