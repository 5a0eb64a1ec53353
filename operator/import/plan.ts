/** Decides what becomes of each record of a gateway. Pure. */
import { API_VERSION, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { mayAdopt, permitsId } from '../connection/connection.ts';
import { type BudgetRow, type CustomerRow, isOperatorRow, resourceOfRow } from '../gateway/gateway.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { describeBudget, describeCustomer, isReferable } from './records.ts';
import { idFault, isCleanId } from './values.ts';
import { createHash } from 'node:crypto';

export type ManagementPolicy = 'Manage' | 'Observe';

/** The resources that the cluster has for an instance. */
export interface KnownResources {
  readonly customerIds: ReadonlySet<string>;
  /** The resources of budgets, by the id of the budget. */
  readonly budgets: ReadonlyMap<string, ObjectKey>;
  /** The names that resources of other ids have: of customers in the target namespace, of budgets in the instance's. */
  readonly customerNames: ReadonlySet<string>;
  readonly budgetNames: ReadonlySet<string>;
}

/** A resource to apply. */
export interface Manifest {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'GatewayCustomer' | 'GatewayBudget';
  readonly metadata: ObjectKey;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What becomes of a record. */
export type Decision =
  | {
      readonly is: 'manifest';
      readonly manifest: Manifest;
      /** Fields of the record that the spec cannot express. */
      readonly unexpressed: readonly string[];
      /** The limits of a budget that only this customer has. */
      readonly ownLimits?: string;
    }
  /** A resource of the instance names the record already. */
  | { readonly is: 'known' }
  /** The operator made the budget, or it belongs to a single customer, key or team. */
  | { readonly is: 'internal' }
  /** The resource would be refused, or would change the record. */
  | { readonly is: 'refused'; readonly id: string; readonly why: string };

/** The ids that gateways generate for the budgets of single customers, keys and teams. */
const generatedId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The plan of one import. It learns first which budgets the customers use, and then which budgets become resources. */
export class ImportPlan {
  readonly #instance: GatewayInstance;
  readonly #namespace: string;
  readonly #policy: ManagementPolicy;
  readonly #known: KnownResources;
  /** How many customers use each budget. */
  readonly #uses = new Map<string, number>();
  readonly #budgets: Map<string, ObjectKey>;

  /** @param namespace of the customers. Budgets are in that of the instance: only there can they be adopted. */
  constructor(instance: GatewayInstance, namespace: string, policy: ManagementPolicy, known: KnownResources) {
    this.#instance = instance;
    this.#namespace = namespace;
    this.#policy = policy;
    this.#known = known;
    this.#budgets = new Map(known.budgets);
  }

  /** Counts the budget of a customer. Call it for all customers before {@link budget}. */
  count({ budget_id: id }: CustomerRow): void {
    if (id !== null && id !== undefined && id !== '') this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
  }

  /** Decides about a budget. Call it for all budgets before {@link customer}. */
  budget(row: BudgetRow): Decision {
    const id = row.budget_id;
    if (isOperatorRow(id)) return { is: 'internal' };
    if (this.#known.budgets.has(id)) return { is: 'known' };
    if (generatedId.test(id) && (this.#uses.get(id) ?? 0) < 2) return { is: 'internal' };
    if (!isCleanId(id)) {
      const why =
        'it is empty, has more than 256 characters, begins or ends with white space, or contains control characters';
      return { is: 'refused', id, why };
    }
    const { namespace } = this.#instance.metadata;
    const name = resourceName(id, this.#instanceText, (taken) => this.#known.budgetNames.has(taken));
    this.#budgets.set(id, { namespace, name });
    const { spec, unexpressed } = describeBudget(row);
    const identity = { ...this.#reference(namespace), ...(name === id ? {} : { budgetId: id }) };
    return {
      is: 'manifest',
      manifest: this.#manifest('GatewayBudget', { namespace, name }, identity, spec),
      unexpressed,
    };
  }

  /** Decides about a customer. */
  customer(row: CustomerRow): Decision {
    const id = row.user_id;
    if (this.#known.customerIds.has(id)) return { is: 'known' };
    const fault = idFault(id);
    if (fault !== undefined) return { is: 'refused', id, why: fault };
    if (!permitsId(this.#instance, this.#namespace, id)) {
      const why = `spec.customerIdPrefixes of the instance does not allow it in namespace ${this.#namespace}`;
      return { is: 'refused', id, why };
    }
    const key = this.#instance.metadata;
    if (this.#policy === 'Manage' && !mayAdopt(this.#instance, key, this.#namespace)) {
      const why = `spec.adoption of the instance does not let namespace ${this.#namespace} adopt records: set it to AllowedNamespaces, or import with --management-policy=Observe`;
      return { is: 'refused', id, why };
    }
    if (resourceOfRow(row.budget_id ?? undefined) !== undefined) {
      return {
        is: 'refused',
        id,
        why: 'its budget belongs to a GatewayCustomer that this cluster does not have for the instance',
      };
    }
    const namespace = this.#namespace;
    const name = resourceName(id, this.#instanceText, (taken) => this.#known.customerNames.has(taken));
    const { spec, unexpressed } = describeCustomer(row);
    const { budgetId, ...rest } = spec;
    const fields = { ...this.#budgetOf(budgetId), ...rest };
    // The operator then looks for the record first.
    const adoption = { adoptionPolicy: 'Adopt' };
    const identity = { ...this.#reference(namespace), customerId: id };
    const manifest = this.#manifest('GatewayCustomer', { namespace, name }, identity, { ...fields, ...adoption });
    const ownLimits = budgetId === undefined || 'budgetRef' in fields ? undefined : limitsText(row);
    return { is: 'manifest', manifest, unexpressed, ...(ownLimits === undefined ? {} : { ownLimits }) };
  }

  get #instanceText(): string {
    return keyText(this.#instance.metadata);
  }

  /** A customer refers to the resource of its budget, if it may. */
  #budgetOf(id: string | undefined): object {
    if (id === undefined) return {};
    const key = this.#budgets.get(id);
    const isNear = key?.namespace === this.#namespace || key?.namespace === this.#instance.metadata.namespace;
    if (key === undefined || !isNear) return isReferable(id) ? { budgetId: id } : {};
    return {
      budgetRef: { name: key.name, ...(key.namespace === this.#namespace ? {} : { namespace: key.namespace }) },
    };
  }

  #reference(from: string): object {
    const { name, namespace } = this.#instance.metadata;
    return { instanceRef: { name, ...(from === namespace ? {} : { namespace }) } };
  }

  #manifest(kind: Manifest['kind'], metadata: ObjectKey, identity: object, fields: object): Manifest {
    const policies = { managementPolicy: this.#policy, deletionPolicy: 'Orphan' };
    return { apiVersion: API_VERSION, kind, metadata, spec: { ...identity, ...policies, ...fields } };
  }
}

/** The limits of the budget that a customer is linked to; undefined if it has none. */
function limitsText(row: CustomerRow): string | undefined {
  const linked = Object.entries(row).find(([name]) => name.endsWith('_budget_table'))?.[1];
  if (typeof linked !== 'object' || linked === null) return undefined;
  const { spec } = describeBudget({ ...linked, budget_id: row.budget_id ?? '' });
  const texts = Object.entries(spec).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** A name of a resource: an RFC 1123 subdomain, in the length of a label. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;
const MAX_LENGTH = 63;
const HASH_LENGTH = 10;
/** The end of a derived name. An id that ends like this gets a derived name too, so that the two kinds never meet. */
const DERIVED = new RegExp(`(^|-)[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The name of the resource for an id: the id itself if it is a valid name, otherwise what is readable of it and a hash.
 * The same id always has the same name.
 * @param instance namespace and name of the instance, which the hash includes
 * @param isTaken whether a resource in the cluster has a name
 */
export function resourceName(id: string, instance: string, isTaken: (name: string) => boolean = () => false): string {
  const isName = id.length <= MAX_LENGTH && NAME.test(id) && !DERIVED.test(id);
  if (isName && !isTaken(id)) return id;
  const hash = createHash('sha256').update(`${instance}\n${id}`).digest('hex').slice(0, HASH_LENGTH);
  const readable = id
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH - HASH_LENGTH - 1)
    .replace(/^-+|-+$/g, '');
  return readable === '' ? `id-${hash}` : `${readable}-${hash}`;
}
