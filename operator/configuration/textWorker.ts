/** The program of the thread for texts: one answer for each task, in their order. */
import { parentPort } from 'node:worker_threads';
import type { Task } from './textTasks.ts';
import { carryOut } from './textTasks.ts';

parentPort?.on('message', (task: Task) => {
  parentPort?.postMessage(carryOut(task));
});
