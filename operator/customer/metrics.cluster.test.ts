/** The metrics of each customer, of an operator on a real API server. */
import { expect } from 'chai';
import { instances } from '../api/kinds.ts';
import { eventually } from './testing/testOperator.ts';
import { withTestbed } from './testing/testbed.ts';

describe('the metrics of each customer, on a cluster', function () {
  this.timeout(60_000);
  const bed = withTestbed();

  /** The series of customers, without the common prefix of their names. */
  async function series(): Promise<string[]> {
    const lines = (await bed.operator.metrics.registry.metrics()).split('\n');
    const prefix = /^gateway_guardrail_operator_customer_(?=spend|max|budget_used|blocked|condition)/;
    return lines.filter((line) => prefix.test(line)).map((line) => line.replace(prefix, ''));
  }
  const optIn = (perCustomer: boolean): Promise<void> =>
    bed.user.patch('main', { spec: { metrics: { perCustomer } } }, instances.plural);

  it('begin with the opt-in, follow the gateway, and end with the resource and with the opt-in', async () => {
    const { namespace } = bed.user;
    const names = (customer: string): string =>
      `customer_namespace="${namespace}",customer="${customer}",gateway_namespace="${namespace}",gateway="main"`;
    await bed.user.budget('gold', { maxBudget: 40 });
    await bed.user.customer('acme', { budgetRef: { name: 'gold' }, blocked: true });
    await bed.user.customer('globex', { maxBudget: 10 });
    await bed.user.untilReason('acme', 'Created');
    await bed.user.untilReason('globex', 'Created');
    expect(await series()).to.deep.equal([]);

    await optIn(true);
    await eventually(async () => {
      expect(await series()).to.have.members([
        `spend_usd{${names('acme')}} 0`,
        `max_budget_usd{${names('acme')}} 40`,
        `budget_used_ratio{${names('acme')}} 0`,
        `blocked{${names('acme')}} 1`,
        `condition{${names('acme')},type="Synced",status="True",reason="Created"} 1`,
        `condition{${names('acme')},type="FullyApplied",status="False",reason="FieldsNotEnforced"} 1`,
        `spend_usd{${names('globex')}} 0`,
        `max_budget_usd{${names('globex')}} 10`,
        `budget_used_ratio{${names('globex')}} 0`,
        `blocked{${names('globex')}} 0`,
        `condition{${names('globex')},type="Synced",status="True",reason="Created"} 1`,
        `condition{${names('globex')},type="FullyApplied",status="True",reason="AllFieldsApplied"} 1`,
      ]);
    });

    await bed.user.delete('acme');
    await bed.user.untilGone('acme');
    await eventually(async () => {
      const left = await series();
      expect(left).to.have.length(6);
      expect(left.join('\n')).to.not.include('acme');
    });
    await optIn(false);
    await eventually(async () => {
      expect(await series()).to.deep.equal([]);
    });
  });
});
