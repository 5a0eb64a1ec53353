import type { DependencyState, Detector } from './contract.ts';

/** Combines several detectors. Finds the spans of all of them, and fails if one of them fails. */
export function createUnion(detectors: readonly Detector[]): Detector {
  const [only] = detectors;
  if (!only) throw new Error('At least one detector is required.');
  if (detectors.length === 1) return only;
  return {
    name: detectors.map(({ name }) => name).join('+'),
    async detect(texts, options) {
      // Starts the last detector first: it calls a server, and the built-in detector runs while it waits.
      const asked = detectors.filter(({ isRemote }) => isRemote !== true || options.isLocal !== true);
      const found = await Promise.all(asked.toReversed().map((detector) => detector.detect(texts, options)));
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
