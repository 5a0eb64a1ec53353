import { expect } from 'chai';
import type { KubeClient } from '../runtime/runtime.ts';
import { guardrailImage } from './image.ts';

const OWN_POD = { namespace: 'system', name: 'operator-0' };

function clusterWith(...answers: (object | Error)[]): Pick<KubeClient, 'get'> & { asked: number } {
  const cluster = {
    asked: 0,
    async get(_kind: unknown, key: unknown) {
      expect(key).to.deep.equal(OWN_POD);
      const answer = answers[cluster.asked];
      cluster.asked += 1;
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('Unexpected second read.');
      return answer;
    },
  };
  return cluster as unknown as Pick<KubeClient, 'get'> & { asked: number };
}

const pod = {
  spec: {
    containers: [
      { name: 'mesh', image: 'mesh:1' },
      { name: 'operator', image: 'mirror.example.com/ggo@sha256:1' },
    ],
  },
};

describe('the image of guardrails', () => {
  it('is the configured one, without a read of the pod', async () => {
    const cluster = clusterWith();
    expect(await guardrailImage(cluster, 'mine:2', OWN_POD)()).to.equal('mine:2');
    expect(cluster.asked).to.equal(0);
  });

  it("is the image of the operator's own container, read once, also with other containers in its pod", async () => {
    const image = guardrailImage(clusterWith(pod), undefined, OWN_POD);
    expect([await image(), await image()]).to.deep.equal(Array(2).fill('mirror.example.com/ggo@sha256:1'));
  });

  it('is read again after a failure', async () => {
    const failure = new Error('away');
    const image = guardrailImage(clusterWith(failure, pod), undefined, OWN_POD);
    expect(await image().catch((error: unknown) => error)).to.equal(failure);
    expect(await image()).to.equal('mirror.example.com/ggo@sha256:1');
  });

  it('follows from the version if the operator does not run in a pod', async () => {
    expect(await guardrailImage(clusterWith(), undefined, undefined)()).to.match(/^gateway-guardrail-operator:\d/);
  });
});
