import type { DependencyState, Detector } from './contract.ts';

/** Several detectors as one: what any of them finds is found. One that cannot answer fails the call. */
export function createUnion(detectors: readonly Detector[]): Detector {
  const [only] = detectors;
  if (!only) throw new Error('At least one detector is needed.');
  if (detectors.length === 1) return only;
  return {
    name: detectors.map(({ name }) => name).join('+'),
    async detect(texts, options) {
      // What waits for the network goes first, so that it travels while the processor works.
      const found = await Promise.all(detectors.toReversed().map((detector) => detector.detect(texts, options)));
      return texts.map((_, index) => found.flatMap((byText) => byText[index] ?? []).sort((a, b) => a.start - b.start));
    },
    async state(): Promise<DependencyState> {
      const states = await Promise.all(detectors.map((detector) => detector.state()));
      return states.find((state) => !state.up) ?? { up: true };
    },
    async close() {
      await Promise.all(detectors.map((detector) => detector.close()));
    },
  };
}
