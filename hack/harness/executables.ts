import { accessSync, constants } from 'node:fs';

/** Whether a path is a program that this process can execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
