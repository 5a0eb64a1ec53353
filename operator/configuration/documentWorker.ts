/** The program of the document thread's worker: answers each task, in order. */
import { parentPort } from 'node:worker_threads';
import { type DocumentTask, runDocumentTask } from './documentTasks.ts';

parentPort?.on('message', (task: DocumentTask) => {
  parentPort?.postMessage(runDocumentTask(task));
});
