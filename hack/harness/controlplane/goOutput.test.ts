import { expect } from 'chai';
import { describeBuild, describeDownload, GoOutput } from './goOutput.ts';

describe('output of go', () => {
  function read(...lines: string[]): GoOutput {
    const output = new GoOutput();
    for (const line of lines) output.read(line);
    return output;
  }

  it('is classified: modules, toolchain, packages, errors', () => {
    const output = read(
      'go: downloading go1.26.8 (linux/amd64)',
      'go: downloading k8s.io/api v0.36.3',
      'go: downloading github.com/go-openapi/swag v0.23.0',
      'internal/goarch',
      'k8s.io/api/core/v1',
      'gopkg.in/evanphx/json-patch.v4',
      'go.etcd.io/etcd/server/v3',
      '# k8s.io/api/core/v1',
      'types.go:1:1: syntax error',
    );
    const { toolchain, modules, packages, errors } = output;
    expect({ toolchain, modules }).to.deep.equal({ toolchain: '1.26.8', modules: 2 });
    expect(packages).to.deep.equal([
      'internal/goarch',
      'k8s.io/api/core/v1',
      'gopkg.in/evanphx/json-patch.v4',
      'go.etcd.io/etcd/server/v3',
    ]);
    expect(errors).to.deep.equal(['# k8s.io/api/core/v1', 'types.go:1:1: syntax error']);
  });

  for (const [lines, expected] of [
    [[], 'reading the Go modules'],
    [['go: downloading go1.26.8 (linux/amd64)'], 'downloading Go 1.26.8'],
    [
      ['go: downloading go1.26.8 (linux/amd64)', 'go: downloading a.b/c v1.0.0'],
      'downloading Go modules (1 of at most 180)',
    ],
  ] as const) {
    it(`before the build: ${expected}`, () => {
      expect(describeDownload(read(...lines), 180)).to.equal(expected);
    });
  }

  // Of a thousand packages, one has as much source code as all the others.
  const sizes = new Map(
    Array.from({ length: 1_001 }, (_, index) => [`p/${index}`, index === 1_000 ? 1_000_000 : 1_000]),
  );
  const paths = [...sizes.keys()];
  for (const [what, compiled, seconds, expected] of [
    ['nothing', [], 1, '0 % (0 of 1,001 packages)'],
    ['half of the small ones', paths.slice(0, 500), 60, '37 %, about 2 min left (500 of 1,001 packages)'],
    ['the large one', paths.slice(1_000), 60, '25 %, about 3 min left (1 of 1,001 packages)'],
    ['one that is not known', ['q'], 60, '0 % (1 of 1,001 packages)'],
    ['all', paths, 120, 'linking'],
  ] as const) {
    it(`in the build, after ${what}: ${expected}`, () => {
      expect(describeBuild(compiled, sizes, seconds * 1000)).to.equal(expected);
    });
  }

  it('in the build, when all was compiled before: linking', () => {
    expect(describeBuild([], new Map(), 0)).to.equal('linking');
  });
});
