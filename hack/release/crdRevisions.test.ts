import { expect } from 'chai';
import { revisionProblems } from './crdRevisions.ts';

function definition(revision: number, field: string, label = '0.1.0'): string {
  return JSON.stringify({
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'widgets.example.com',
      labels: { 'app.kubernetes.io/version': label },
      annotations: { 'gateway.guardrail.dev/crd-revision': String(revision) },
    },
    spec: { versions: [{ name: 'v1', schema: { [field]: {} } }] },
  });
}

describe('the revision of a CRD', () => {
  const problem = /^The CRD widgets\.example\.com has changed .* has the revision 1\. Raise CRD_REVISION/;
  for (const [what, before, now, expected] of [
    ['may stay if nothing has changed', definition(1, 'a'), definition(1, 'a'), []],
    ['may stay if only a label has changed', definition(1, 'a'), definition(1, 'a', '0.2.0'), []],
    ['may stay in the first release', undefined, definition(1, 'a'), []],
    ['rises with a change', definition(1, 'a'), definition(2, 'b'), []],
    ['must not stay with a change', definition(1, 'a'), definition(1, 'b'), [problem]],
    ['must not fall with a change', definition(2, 'a'), definition(1, 'b'), [problem]],
  ] as const) {
    it(what, () => {
      const files = (text?: string): Map<string, string> => new Map(text === undefined ? [] : [['crds/w.yaml', text]]);
      const problems = revisionProblems(files(before), files(now));
      expect(problems).to.have.length(expected.length);
      for (const [index, pattern] of expected.entries()) expect(problems[index]).to.match(pattern);
    });
  }
});
