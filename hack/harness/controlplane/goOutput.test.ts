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

  for (const [compiled, expected] of [
    [[], '0 of 1,001 packages'],
    [['p/1', 'p/2'], '2 of 1,001 packages'],
    [Array.from({ length: 1_001 }, (_, index) => `p/${index}`), 'linking'],
  ] as const) {
    it(`in the build, after ${compiled.length} packages: ${expected}`, () => {
      expect(describeBuild(compiled, new Set(Array.from({ length: 1_001 }, (_, at) => `p/${at}`)))).to.equal(expected);
    });
  }

  it('in the build, when all was compiled before: linking', () => {
    expect(describeBuild([], new Set())).to.equal('linking');
  });
});
