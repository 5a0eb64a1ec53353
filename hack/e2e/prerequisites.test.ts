import { expect } from 'chai';
import { problems, type Facts } from './prerequisites.ts';

const complete: Facts = {
  platform: 'linux',
  root: true,
  missing: [],
  overlay: true,
  namespaces: true,
  controllers: [],
  busy: false,
};

describe('prerequisites of a node', () => {
  it('report nothing on a complete machine', () => {
    expect(problems(complete)).to.deep.equal([]);
  });

  const incomplete: readonly (readonly [what: string, facts: Partial<Facts>, says: RegExp])[] = [
    [
      'another system',
      { platform: 'darwin', root: false },
      /^A cluster node requires Linux\. Alternatively.*KUBECONFIG.*E2E_IMAGE/,
    ],
    ['another user', { root: false }, /^A cluster node requires root\. .*sudo npm run e2e/],
    ['programs', { missing: ['podman', '/usr/lib/cni/ptp'] }, /apt-get install podman containernetworking-plugins\.$/],
    ['overlayfs', { overlay: false }, /modprobe overlay/],
    ['namespaces', { namespaces: false }, /namespaces/],
    ['control groups', { controllers: ['memory', 'pids'] }, /^Control groups for memory, pids cannot be created/],
    ['a kubelet', { busy: true }, /not a node\.$/],
  ];
  for (const [what, facts, says] of incomplete) {
    it(`report a missing part: ${what}`, () => {
      const [first, ...more] = problems({ ...complete, ...facts });
      expect(first).to.match(says);
      expect(more).to.deep.equal([]);
    });
  }

  it('report all missing parts at once', () => {
    expect(problems({ ...complete, missing: ['runc'], overlay: false, controllers: ['cpu'] })).to.have.length(3);
  });
});
