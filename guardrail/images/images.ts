/** Personal data in images: read, looked at together with the texts, painted over. */
export { createImageGuard, type ImageGuardOptions } from './redaction.ts';
export { createImageWorkerPool, type WorkerPoolOptions } from './workerPool.ts';
export { ImagesBusyError, type ImageProcessor } from './contract.ts';
