/** Builds the guard of the service. The only place that decides what monitor mode changes. */
import type { Guard, GuardOptions } from '../pseudonymization/pseudonymization.ts';
import { createFileGuard } from './fileGuard.ts';
import { createImageGuard, type ImageGuardOptions, type ImageProcessor } from '../images/images.ts';
import { createMonitor, withoutRewrites, withoutWrites } from './monitor.ts';
import type { MappingStore } from '../store/store.ts';

export interface PipelineOptions extends Omit<GuardOptions, 'store'> {
  readonly mode: 'enforce' | 'monitor';
  readonly store: MappingStore;
  readonly reader: ImageProcessor;
  readonly images: ImageGuardOptions['images'];
  readonly remoteImages: ImageGuardOptions['remoteImages'];
  readonly createTextGuard: (options: GuardOptions) => Guard;
}

export interface Pipeline {
  readonly guard: Guard;
  /** Whether a call that cannot be checked continues unchanged. If so, dependencies are optional. */
  readonly isFailOpen: boolean;
}

/**
 * Builds the guard from its stages. A request passes the file guard, the image guard and the text guard (parse, analyze,
 * decide, pseudonymize, rewrite). The image guard then redacts its images.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const isMonitor = options.mode === 'monitor';
  const store = isMonitor ? withoutWrites(options.store) : options.store;
  const reader = isMonitor ? withoutRewrites(options.reader) : options.reader;
  const texts = options.createTextGuard({ ...options, store });
  const images = createImageGuard(texts, { ...options, store, reader });
  const files = createFileGuard(images, { files: options.images === 'pass' ? 'pass' : 'block' });
  return { guard: isMonitor ? createMonitor(files, texts) : files, isFailOpen: isMonitor };
}
