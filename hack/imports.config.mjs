// The layers of the project, for dependency-cruiser. `npm run lint` and `npm test` check them. Imports of types count.

const TESTS = String.raw`\.test\.ts$|/testing/|^hack/harness/`;
const PROGRAMS = '^(operator|guardrail)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files import each other. Move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-hack-in-programs',
      comment: 'A program imports nothing from hack/.',
      severity: 'error',
      from: { path: PROGRAMS, pathNot: TESTS },
      to: { path: '^hack/' },
    },
    {
      name: 'hack-harness-in-tests',
      comment: "A program's tests import from hack/harness/ only. Move test support there, or the test into hack/.",
      severity: 'error',
      from: { path: PROGRAMS },
      to: { path: '^hack/', pathNot: '^hack/harness/' },
    },
    {
      name: 'no-test-support-in-programs',
      comment: 'Tests and testing/ are not in the image.',
      severity: 'error',
      from: { path: PROGRAMS, pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      // `api` has two such files, and `manifests` no code. Tests may import internal files and test support.
      name: 'folder-by-its-face',
      comment: 'A folder of a program is one concern. Import what it offers from the file that bears its name.',
      severity: 'error',
      from: { path: '^(operator|guardrail)/([^/]+)', pathNot: String.raw`${TESTS}|^guardrail/guardrail\.ts$` },
      to: {
        path: '^$1/[^/]+/',
        pathNot: ['^$1/$2/', String.raw`^$1/([^/]+)/\1\.ts$`, '^$1/(api|manifests)/', '/testing/'],
      },
    },
    {
      name: 'operator-enters-guardrail-by-its-face',
      comment:
        'The operator imports guardrail/guardrail.ts only. A test may compare with other files of the guardrail.',
      severity: 'error',
      from: { path: '^operator/', pathNot: TESTS },
      to: { path: '^guardrail/', pathNot: String.raw`^guardrail/guardrail\.ts$` },
    },
    {
      name: 'no-operator-in-guardrail',
      comment: 'The guardrail imports nothing from the operator.',
      severity: 'error',
      from: { path: '^guardrail/' },
      to: { path: '^operator/' },
    },
    {
      name: 'no-test-files-in-files',
      comment: 'Nothing imports a test file. Move what it shares into testing/.',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { path: String.raw`\.test\.ts$` },
    },
    {
      name: 'no-unresolvable',
      comment: 'The imported file or package does not exist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
