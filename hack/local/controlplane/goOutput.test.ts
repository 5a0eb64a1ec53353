import { expect } from 'chai';
import { describeBuild, describeDownload, GoOutput } from './goOutput.ts';

describe('what go prints', () => {
  function read(...lines: string[]): GoOutput {
    const output = new GoOutput();
    for (const line of lines) output.read(line);
    return output;
  }

  it('is told apart: modules, toolchain, packages, errors', () => {
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
    expect({ toolchain, modules, packages }).to.deep.equal({ toolchain: '1.26.8', modules: 2, packages: 4 });
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

  for (const [done, total, seconds, expected] of [
    [0, 2_145, 1, '0 % (0 of 2,145 packages)'],
    [605, 2_145, 100, '28 %, about 4 min left (605 of 2,145 packages)'],
    [2_145, 2_145, 300, 'linking'],
    [0, 0, 0, 'linking'],
  ] as const) {
    it(`in the build: ${expected}`, () => {
      expect(describeBuild({ done, total, elapsedMs: seconds * 1000 })).to.equal(expected);
    });
  }
});
