/** The program of the thread for texts: one answer for each task, in their order. */
import { parentPort } from 'node:worker_threads';
import type { DocumentTask } from './documentTasks.ts';
import { runDocumentTask } from './documentTasks.ts';

parentPort?.on('message', (task: DocumentTask) => {
  parentPort?.postMessage(runDocumentTask(task));
});
