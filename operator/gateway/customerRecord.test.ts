import { expect } from 'chai';
import { observe } from './customerRecord.ts';
import { customerFieldsStrategy } from './strategy.ts';

describe('observed record', () => {
  it('has the limits of a linked row under any proxy name, or of the record itself', () => {
    const limits = { max_budget: 5, tpm_limit: 0, rpm_limit: null };
    for (const row of [
      { user_id: 'c', budget_id: 'b', litellm_budget_table: limits },
      { user_id: 'c', budget_id: 'b', gateway_budget_table: limits },
      { user_id: 'c', budget_id: 'b', ...limits },
    ]) {
      expect(observe(row).fields).to.deep.equal({ budgetId: 'b', maxBudget: 5, tpmLimit: 0 });
    }
  });

  it('does not report the limits of a tier as limits of the customer', () => {
    const observed = observe({ user_id: 'c', budget_id: 'b', gateway_budget_table: { max_budget: 5 } });
    expect(customerFieldsStrategy.observedValues(observed, { budgetId: 'b' }).present).to.deep.equal({ budgetId: 'b' });
  });
});
