import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { GatewayCustomerSpec, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  allFields,
  type BudgetRow,
  budgetRowId,
  budgetRowStrategy,
  customerFieldsStrategy,
  type CustomerRow,
  desiredOf,
  driftOf,
  observe,
  readFields,
  tierFields,
} from '../gateway/gateway.ts';
import { documentOf } from './documents.ts';
import { type Decision, ImportPlan, type KnownResources, type Manifest } from './plan.ts';

const noResources: KnownResources = {
  customerIds: new Set(),
  budgets: new Map(),
  customerNames: new Set(),
  budgetNames: new Set(),
};
const instance = {
  metadata: { namespace: 'ai', name: 'main', uid: 'i' },
  spec: { masterKeySecretRef: { name: 'main', key: 'key' }, allowedNamespaces: ['*'] },
} as unknown as GatewayInstance;
const uuid = '0b8e9d5c-4a59-4a3f-9f7e-2f1c9a7d1e11';

/** The decisions about all records. */
function decide(
  customers: readonly CustomerRow[],
  budgets: readonly BudgetRow[],
  {
    namespace = 'ai',
    known = noResources,
    adoption = 'AllowedNamespaces',
  }: {
    readonly namespace?: string;
    readonly known?: KnownResources;
    readonly adoption?: 'OwnNamespace' | 'AllowedNamespaces';
  } = {},
): { readonly budgets: readonly Decision[]; readonly customers: readonly Decision[] } {
  const plan = new ImportPlan({ ...instance, spec: { ...instance.spec, adoption } }, namespace, 'Manage', known);
  for (const customer of customers) plan.count(customer);
  return {
    budgets: budgets.map((budget) => plan.budget(budget)),
    customers: customers.map((customer) => plan.customer(customer)),
  };
}

function manifestOf(decision: Decision | undefined): Manifest {
  if (decision?.is !== 'manifest') throw new Error(`No manifest: ${JSON.stringify(decision)}`);
  return decision.manifest;
}

describe('import of records', () => {
  const gold: BudgetRow = { budget_id: 'gold', max_budget: 10, budget_duration: '30d' };

  it('makes a resource of a shared budget, and the customers refer to it', () => {
    const rows = ['a', 'b'].map((id) => ({ user_id: id, budget_id: 'gold', litellm_budget_table: gold }));
    const { budgets, customers } = decide(rows, [gold]);
    expect(manifestOf(budgets[0])).to.deep.equal({
      apiVersion: 'gateway.guardrail.dev/v1alpha1',
      kind: 'GatewayBudget',
      metadata: { namespace: 'ai', name: 'gold' },
      spec: {
        instanceRef: { name: 'main' },
        managementPolicy: 'Manage',
        deletionPolicy: 'Orphan',
        maxBudget: 10,
        budgetDuration: '30d',
      },
    });
    expect(manifestOf(customers[1]).spec).to.deep.equal({
      instanceRef: { name: 'main' },
      customerId: 'b',
      managementPolicy: 'Manage',
      deletionPolicy: 'Orphan',
      adoptionPolicy: 'Adopt',
      budgetRef: { name: 'gold' },
    });
  });

  it('puts budgets into the namespace of the instance, and lets customers of another one adopt their records', () => {
    const { budgets, customers } = decide([{ user_id: 'a', budget_id: 'gold' }], [gold], { namespace: 'shop' });
    expect(manifestOf(budgets[0]).metadata.namespace).to.equal('ai');
    expect(manifestOf(customers[0]).metadata).to.deep.equal({ namespace: 'shop', name: 'a' });
    expect(manifestOf(customers[0]).spec).to.deep.include({
      instanceRef: { name: 'main', namespace: 'ai' },
      adoptionPolicy: 'Adopt',
      budgetRef: { name: 'gold', namespace: 'ai' },
    });
  });

  it('refuses customers of a namespace that may not adopt records', () => {
    const given = { namespace: 'shop', adoption: 'OwnNamespace' } as const;
    const [customer] = decide([{ user_id: 'a' }], [], given).customers;
    expect(customer).to.deep.include({ is: 'refused', id: 'a' });
    expect(documentOf('customer', customer ?? { is: 'known' })).to.contain('spec.adoption');
  });

  it("names a customer's own budget by its id, with its limits in a comment", () => {
    const row = {
      user_id: 'a',
      budget_id: uuid,
      litellm_budget_table: { budget_id: uuid, max_budget: 5, rpm_limit: 3 },
    };
    const { budgets, customers } = decide([row], [{ budget_id: uuid, max_budget: 5, rpm_limit: 3 }]);
    expect(budgets[0]).to.deep.equal({ is: 'internal' });
    expect(manifestOf(customers[0]).spec).to.include({ budgetId: uuid });
    expect(documentOf('customer', customers[0] ?? { is: 'known' })).to.contain('Now: maxBudget: 5, rpmLimit: 3.');
  });

  it('makes a resource of a budget with a generated id that customers share, and not of one without customers', () => {
    const rows = ['a', 'b'].map((id) => ({ user_id: id, budget_id: uuid }));
    const { budgets, customers } = decide(rows, [{ budget_id: uuid }, { budget_id: uuid.replace('0b', '0c') }]);
    expect(manifestOf(budgets[0]).spec).to.deep.include({ instanceRef: { name: 'main' } });
    expect(budgets[1]).to.deep.equal({ is: 'internal' });
    expect(manifestOf(customers[0]).spec).to.deep.include({ budgetRef: { name: uuid } });
  });

  it('skips what a resource names already, and refers to the existing resource of a budget', () => {
    const known = {
      ...noResources,
      customerIds: new Set(['a']),
      budgets: new Map([['gold', { namespace: 'ai', name: 'tier' }]]),
      customerNames: new Set(['b']),
    };
    const { budgets, customers } = decide([{ user_id: 'a' }, { user_id: 'b', budget_id: 'gold' }], [gold], { known });
    expect([budgets[0], customers[0]]).to.deep.equal([{ is: 'known' }, { is: 'known' }]);
    expect(manifestOf(customers[1]).spec).to.deep.include({ budgetRef: { name: 'tier' } });
    expect(manifestOf(customers[1]).metadata.name).to.match(/^b-[0-9a-f]{10}$/);
    const elsewhere = { ...known, budgets: new Map([['gold', { namespace: 'third', name: 'tier' }]]) };
    const third = decide([{ user_id: 'b', budget_id: 'gold' }], [gold], { known: elsewhere });
    expect(manifestOf(third.customers[0]).spec).to.include({ budgetId: 'gold' });
  });

  const refused: [name: string, row: CustomerRow, why: string][] = [
    ['an empty id', { user_id: '' }, 'it is empty'],
    ['a long id', { user_id: 'a'.repeat(257) }, 'it has more than 256 characters'],
    ['a space at the end', { user_id: 'a ' }, 'it begins or ends with white space, or contains control characters'],
    [
      'a control character',
      { user_id: 'a\u0001b' },
      'it begins or ends with white space, or contains control characters',
    ],
    [
      'a budget of another resource',
      { user_id: 'a', budget_id: budgetRowId('other') },
      'its budget belongs to a GatewayCustomer that this cluster does not have for the instance',
    ],
  ];
  for (const [name, row, why] of refused) {
    it(`reports a customer with ${name}`, () => {
      const [decision] = decide([row], []).customers;
      expect(decision).to.deep.equal({ is: 'refused', id: row.user_id, why });
      const text = documentOf('customer', decision ?? { is: 'known' });
      expect(text).to.match(/^# Not imported: customer "[^\n]*\n$/);
      expect(text).to.not.match(/[\x00-\x09]/);
    });
  }

  it('reports the fields that a spec cannot express, without values', () => {
    const row: CustomerRow = {
      user_id: 'a',
      alias: 'x'.repeat(300),
      metadata: { secret: 7 },
      object_permission: { mcp_servers: ['s'], skills: ['secret'], mcp_tool_permissions: { secret: [] } },
    };
    const [decision] = decide([row], []).customers;
    const text = documentOf('customer', decision ?? { is: 'known' });
    expect(text).to.contain('alias, metadata, object_permission.skills, object_permission.mcp_tool_permissions.');
    expect(text).to.not.match(/secret|xxx/);
    expect(manifestOf(decision).spec).to.deep.include({ objectPermission: { mcpServers: ['s'] } });
    const budget = decide(
      [],
      [{ ...gold, tpd_limit: 9, budget_duration: '1y', max_budget: -1, allowed_models: ['x'] }],
    );
    expect(budget.budgets[0]).to.deep.include({
      is: 'manifest',
      unexpressed: ['maxBudget', 'budgetDuration', 'tpd_limit', 'allowed_models'],
    });
  });

  it('writes YAML that says the same in YAML 1.1 and 1.2, whatever the values are', () => {
    const words = fc.oneof(
      fc.constantFrom('yes', 'NO', 'null', '1_000', '12:30:45', '0o7', '~', '# a', '- b'),
      fc.string({ unit: 'grapheme', minLength: 1 }),
    );
    fc.assert(
      fc.property(
        words,
        fc.uniqueArray(words),
        fc.dictionary(words, words, { noNullPrototype: true }),
        (alias, models, metadata) => {
          const [decision] = decide([{ user_id: 'a', alias, models, metadata }], []).customers;
          const text = documentOf('customer', decision ?? { is: 'known' });
          for (const version of ['1.1', '1.2'] as const) {
            expect(parse(text, { version })).to.deep.equal(manifestOf(decision));
          }
        },
      ),
    );
  });

  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
  const amounts = fc.constantFrom(0, 0.5, 20, -1);
  const counts = fc.constantFrom(0, 7, 2 ** 53);
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', ''));
  const budgetRows = fc.record({
    budget_id: fc.constantFrom('gold', uuid, 'Ä'),
    max_budget: maybe(amounts),
    soft_budget: maybe(amounts),
    budget_duration: maybe(fc.constantFrom('1d', '30d', '1y', '')),
    tpm_limit: maybe(counts),
    rpm_limit: maybe(counts),
    max_parallel_requests: maybe(fc.constantFrom(1, 2 ** 31)),
    model_max_budget: maybe(
      fc.constantFrom({}, { m: { max_budget: 1, budget_duration: '1d' } }, { m: { tpm_limit: -1 } }),
    ),
  });
  const customerRows = fc.record({
    user_id: fc.constantFrom('a', 'Acme', 'ü'),
    alias: maybe(fc.constantFrom('', 'Acme', 'x'.repeat(300))),
    blocked: maybe(fc.boolean()),
    models: maybe(names),
    default_model: maybe(fc.constantFrom('', 'fast')),
    allowed_model_region: maybe(fc.constantFrom('eu', 'us')),
    object_permission: maybe(fc.record({ mcp_servers: maybe(names), agents: maybe(names), skills: maybe(names) })),
    metadata: maybe(fc.constantFrom({}, { a: '1' }, { a: 1 })),
    max_budget: maybe(amounts),
    rpm_limit: maybe(counts),
  });

  it('is a round trip: a sync of the manifest finds nothing to write', () => {
    fc.assert(
      fc.property(customerRows, maybe(budgetRows), fc.integer({ min: 1, max: 2 }), (record, budget, users) => {
        const linked = budget === null ? {} : { budget_id: budget.budget_id, litellm_budget_table: budget };
        // With a `/budget` API, the limits are in the budget.
        const own = budget === null ? {} : { max_budget: null, rpm_limit: null };
        const row = { ...record, ...own, ...linked };
        const all = users === 1 ? [row] : [row, { ...row, user_id: 'second' }];
        const { budgets, customers } = decide(all, budget === null ? [] : [budget]);
        const spec = manifestOf(customers[0]).spec as unknown as GatewayCustomerSpec;
        const budgetId = spec.budgetId ?? (spec.budgetRef === undefined ? undefined : budget?.budget_id);
        const desired = desiredOf(allFields, { ...spec, budgetId });
        const observed = observe(row);
        const strategy =
          budget === null ? customerFieldsStrategy : budgetRowStrategy(budgetRowId('uid'), { maxBudget: 1 });
        const supported = strategy.supportedFields(desired, new Set(), observed);
        expect(supported.unsupported).to.deep.equal([]);
        const values = strategy.observedValues(observed, supported.fields);
        expect(driftOf(supported.fields, new Set(), values, observed.reported)).to.deep.equal({
          differs: [],
          unreported: [],
          uncleared: [],
        });
        if (budget === null || budgets[0]?.is !== 'manifest') return;
        const tier = desiredOf(tierFields, manifestOf(budgets[0]).spec as object);
        const stored = readFields(tierFields, budget);
        expect(driftOf(tier, new Set(), { effective: stored, present: stored }).differs).to.deep.equal([]);
      }),
    );
  });
});
