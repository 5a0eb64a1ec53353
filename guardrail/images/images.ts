/** Personal data in images: read, looked at together with the texts, painted over. */
export { createImageGuard, type ImageGuardOptions } from './redaction.ts';
export { createWorkers, type WorkerOptions } from './workerPool.ts';
export { ImagesBusyError, type PictureReader } from './contract.ts';
