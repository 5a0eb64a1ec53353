/** The program of the document thread's worker: answers each task, in order. */
import { parentPort } from 'node:worker_threads';
import type { DocumentTask } from './documentTasks.ts';

// The stand-ins of another thread do not apply to this one. They must be there before the modules that they stand in for.
await import('../clientNode/clientNode.ts');
const { runDocumentTask } = await import('./documentTasks.ts');

parentPort?.on('message', (task: DocumentTask) => {
  parentPort?.postMessage(runDocumentTask(task));
});
