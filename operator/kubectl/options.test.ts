import { expect } from 'chai';
import { KubectlUsageError, readKubectlCommand } from './options.ts';

const SECRET = 'Anna-Schmidt';

describe('the command line of kubectl gcust', () => {
  const common = { namespace: undefined, isAllNamespaces: false, context: undefined, output: 'table' };
  const top = { ...common, name: 'top', instance: undefined };
  const explain = { ...common, name: 'explain-call', customer: 'acme', text: undefined, team: undefined };
  const cases: readonly (readonly [args: string, expected: object])[] = [
    ['top', top],
    ['top -A -o json', { ...top, isAllNamespaces: true, output: 'json' }],
    ['top -n shop --instance=main', { ...top, namespace: 'shop', instance: { name: 'main' } }],
    ['top --instance ai/main --context c', { ...top, context: 'c', instance: { namespace: 'ai', name: 'main' } }],
    ['explain-call acme', explain],
    ['explain-call -n shop acme --text=x', { ...explain, namespace: 'shop', text: 'x' }],
    ['explain-call acme --team sales', { ...explain, team: 'sales' }],
    ['--help', { name: 'help' }],
    ['explain-call -h', { name: 'help' }],
  ];
  for (const [args, expected] of cases) {
    it(`is read: ${args}`, () => {
      expect(readKubectlCommand(args.split(' '))).to.deep.equal(expected);
    });
  }

  const refusals: readonly (readonly [args: string, message: RegExp])[] = [
    ['', /^explain-call needs/],
    ['bottom', /^explain-call needs/],
    ['top acme', /^top takes neither/],
    [`top --text=${SECRET}`, /^top takes neither/],
    ['top -o yaml', /^--output must be/],
    ['top -n A', /^--namespace must be/],
    ['top --instance a/b/c', /^--instance must be/],
    [`top --txet=${SECRET}`, /^The flags are wrong/],
    ['explain-call', /^explain-call needs/],
    [`explain-call acme ${SECRET}`, /^explain-call needs/],
    ['explain-call acme -A', /^explain-call is about one/],
  ];
  for (const [args, message] of refusals) {
    it(`is refused without its values: ${args}`, () => {
      let refused: unknown;
      try {
        readKubectlCommand(args.split(' ').filter((arg) => arg !== ''));
      } catch (error) {
        refused = error;
      }
      expect(refused).to.be.instanceOf(KubectlUsageError);
      expect((refused as Error).message)
        .to.match(message)
        .and.not.include(SECRET);
    });
  }
});
