/** Image redaction: reads the text of images, analyzes it with the texts of the request, and paints over findings. */
export { createImageGuard, type ImageGuardOptions } from './redaction.ts';
export { createImageWorkerPool, type WorkerPoolOptions } from './workerPool.ts';
export { ImagesBusyError, type ImageProcessor } from './contract.ts';
