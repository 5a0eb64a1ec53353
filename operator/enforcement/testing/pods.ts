/** For tests: the pods of guardrails, without processes. */
import { customerListRevision } from '../../../guardrail/guardrail.ts';
import { configMaps } from '../../cluster/cluster.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { FindPods, GuardrailPod, Revisions } from '../enforcement.ts';
import { storedTexts } from '../shards.ts';

/** The pods of each guardrail. */
export interface FakePods {
  /** Their number. */
  readonly count: number;
  /**
   * What a pod answers; undefined: it does not answer.
   * @param stored what is written for it
   * @param pod from 0
   */
  readonly has: (stored: Revisions, pod: number) => Revisions | undefined;
}

/** One pod that has everything at once. */
export const currentPods: FakePods = { count: 1, has: (stored) => stored };

/** Finds fake pods. @param podsNow returns them */
export function fakePods(runtime: Runtime, podsNow: () => FakePods): FindPods {
  const lists = runtime.cache(configMaps);
  return (instance) => {
    const answer = (pod: number): Revisions | undefined => {
      const texts = storedTexts({ configMaps: lists }, instance).map(([, text]) => text);
      const policy = instance.status?.guardrail?.policyRevision;
      return podsNow().has(
        {
          ...(texts.length === 0 ? {} : { customerList: customerListRevision(texts) }),
          ...(policy === undefined ? {} : { policy }),
        },
        pod,
      );
    };
    return Promise.resolve(
      Array.from({ length: podsNow().count }, (_, at): GuardrailPod => {
        const name = `pod-${at}`;
        return { id: name, name, ask: () => Promise.resolve(answer(at)) };
      }),
    );
  };
}
