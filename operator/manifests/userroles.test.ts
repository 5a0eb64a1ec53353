/** The roles for users: who may read, and who may write which kind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import * as kinds from '../api/kinds.ts';
import { GROUP } from '../api/v1alpha1/v1alpha1.ts';

interface Role {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const roles = parseAllDocuments(readFileSync(join(import.meta.dirname, 'userroles.yaml'), 'utf8')).map(
  (document) => document.toJS() as Role,
);
const plurals = Object.values(kinds).map(({ plural }) => plural);

/** What a built-in role gets by aggregation, as `resource verb`. */
function granted(role: 'view' | 'edit' | 'admin'): Set<string> {
  const aggregated = roles.filter(
    ({ metadata }) => metadata.labels[`rbac.authorization.k8s.io/aggregate-to-${role}`] === 'true',
  );
  return new Set(
    aggregated
      .flatMap(({ rules }) => rules)
      .flatMap(({ apiGroups, resources, verbs }) => {
        expect(apiGroups).to.deep.equal([GROUP]);
        return resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`));
      }),
  );
}

describe('the roles for users', () => {
  it('let each of view, edit and admin read every kind and its status', () => {
    for (const role of ['view', 'edit', 'admin'] as const) {
      for (const resource of plurals.flatMap((plural) => [plural, `${plural}/status`])) {
        for (const verb of ['get', 'list', 'watch']) expect(granted(role)).to.include(`${resource} ${verb}`);
      }
    }
  });

  it('let admin write every kind, edit every kind but instances and policies, and view none', () => {
    const writable = (role: 'view' | 'edit' | 'admin'): string[] =>
      plurals.filter((plural) =>
        ['create', 'update', 'patch', 'delete', 'deletecollection'].every((verb) =>
          granted(role).has(`${plural} ${verb}`),
        ),
      );
    expect(writable('admin')).to.have.members(plurals);
    expect(writable('edit')).to.have.members(
      plurals.filter((plural) => !['gatewayinstances', 'guardrailpolicies'].includes(plural)),
    );
    expect(writable('view')).to.deep.equal([]);
  });

  it('let nobody write a status, which the operator trusts', () => {
    expect([...granted('admin')].filter((right) => /\/\w+ (?!get|list|watch)/.test(right))).to.deep.equal([]);
  });
});
