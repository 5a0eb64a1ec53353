/** The fields of a tier and the columns of its row, as tables and a law. */
import { expect } from 'chai';
import fc from 'fast-check';
import { columnsOf, readFields, sameValue, type Tier, tierFields } from './fields.ts';
import { budgetRow } from './schemas.ts';

const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
const count = fc.nat();
const duration = fc.constantFrom('1d', '30d', '1mo');
const limits = { maxBudget: amount, budgetDuration: duration, tpmLimit: count, rpmLimit: count };
/** Any tier. A model without limits is no limit. */
const tiers: fc.Arbitrary<Tier> = fc.record(
  {
    ...limits,
    softBudget: amount,
    maxParallelRequests: count,
    modelMaxBudget: fc.dictionary(
      fc.constantFrom('a', 'b', 'gpt-4o'),
      fc.record(limits, { requiredKeys: ['rpmLimit'] }),
      {
        minKeys: 1,
      },
    ),
  },
  { requiredKeys: [] },
);

describe('a budget tier', () => {
  it('is the same after it was stored as a row', () => {
    fc.assert(
      fc.property(tiers, (tier) => {
        const row = budgetRow.parse(JSON.parse(JSON.stringify({ budget_id: 'a', ...columnsOf(tierFields, tier) })));
        // JSON does not tell -0 from 0.
        expect(JSON.stringify(readFields(tierFields, row))).to.equal(JSON.stringify(orderedTier(tier)));
      }),
    );
  });

  it('is read from a row of LiteLLM, without its other columns and without columns that have no value', () => {
    const none = { soft_budget: null, max_parallel_requests: null, tpd_limit: null, budget_reset_at: null };
    const models = { 'gpt-4o': { max_budget: 5, budget_duration: '1d', tpm_limit: null, budget_reset_at: null } };
    const row = { budget_id: 'a', max_budget: 0, tpm_limit: 10, allowed_models: [], model_max_budget: models, ...none };
    expect(readFields(tierFields, budgetRow.parse(row))).to.deep.equal({
      maxBudget: 0,
      tpmLimit: 10,
      modelMaxBudget: { 'gpt-4o': { maxBudget: 5, budgetDuration: '1d' } },
    });
  });

  it('has no limits for models if the gateway reports them in another form', () => {
    for (const models of ['text', 5, { a: 5 }, { a: { max_budget: '5' } }, {}, null]) {
      expect(
        readFields(tierFields, budgetRow.parse({ budget_id: 'a', max_budget: 1, model_max_budget: models })),
      ).to.deep.equal({
        maxBudget: 1,
      });
    }
  });

  it('clears columns by null', () => {
    expect(columnsOf(tierFields, { maxBudget: null, modelMaxBudget: null, tpmLimit: 0 })).to.deep.equal({
      max_budget: null,
      model_max_budget: null,
      tpm_limit: 0,
    });
  });

  for (const [one, other, same] of [
    [{ a: { rpmLimit: 1, tpmLimit: 2 } }, { a: { tpmLimit: 2, rpmLimit: 1 } }, true],
    [{ a: { rpmLimit: 1 } }, { a: { rpmLimit: 2 } }, false],
    [{ a: { rpmLimit: 1 } }, { a: { rpmLimit: 1 }, b: { rpmLimit: 1 } }, false],
    [{}, undefined, true],
    [undefined, { a: { rpmLimit: 1 } }, false],
  ] as const) {
    it(`with ${JSON.stringify(one)} ${same ? 'equals' : 'differs from'} one with ${JSON.stringify(other)}`, () => {
      expect(sameValue(one, other)).to.equal(same);
    });
  }
});

/** The tier with its fields in the order of {@link tierFields}, and those of models in the order of limits. */
function orderedTier(tier: Tier): unknown {
  const order = ['maxBudget', 'budgetDuration', 'tpmLimit', 'rpmLimit'] as const;
  const models = Object.entries(tier.modelMaxBudget ?? {}).map(([model, values]) => [
    model,
    Object.fromEntries(order.filter((field) => values[field] !== undefined).map((field) => [field, values[field]])),
  ]);
  const ordered = {
    ...tier,
    ...(models.length === 0 ? {} : { modelMaxBudget: Object.fromEntries(models) as unknown }),
  };
  return Object.fromEntries(
    tierFields.filter((field) => ordered[field] !== undefined).map((field) => [field, ordered[field]]),
  );
}
