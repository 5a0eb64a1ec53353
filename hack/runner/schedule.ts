/** Runs tasks side by side so that the processors are busy and not crowded. */

/** A part of a run. */
export interface Task {
  readonly name: string;
  /** The share of a processor that the task uses on average, greater than 0. A test that waits for servers uses less than 1. */
  readonly share: number;
  /** The task starts when this resolves. If it rejects, the schedule rejects. */
  readonly ready?: Promise<unknown>;
  run(): Promise<void>;
}

/**
 * Runs all tasks. Those that come first in the list start first, as far as the processors have room: a task that does not fit
 * waits, and smaller ones start before it.
 *
 * @param processors the sum of the shares of tasks that run at the same time
 * @throws what `ready` or `run` of a task rejects with, when the running tasks have ended
 */
export async function runTasks(tasks: readonly Task[], processors: number): Promise<void> {
  const waiting = new Set(tasks);
  const isReady = new Set(tasks.filter(({ ready }) => ready === undefined));
  const running = new Set<Task>();
  const errors: unknown[] = [];
  const over = Promise.withResolvers<undefined>();

  function fits({ share }: Task): boolean {
    const used = [...running].reduce((sum, task) => sum + task.share, 0);
    return running.size === 0 || used + share <= processors + Number.EPSILON;
  }

  function step(): void {
    for (const task of waiting) if (errors.length === 0 && isReady.has(task) && fits(task)) start(task);
    if (running.size === 0 && (waiting.size === 0 || errors.length > 0)) over.resolve(undefined);
  }

  function start(task: Task): void {
    waiting.delete(task);
    running.add(task);
    void task
      .run()
      .catch((error: unknown) => {
        errors.push(error);
      })
      .finally(() => {
        running.delete(task);
        step();
      });
  }

  for (const task of tasks) {
    task.ready?.then(
      () => {
        isReady.add(task);
        step();
      },
      (error: unknown) => {
        errors.push(error);
        step();
      },
    );
  }
  step();
  await over.promise;
  if (errors.length > 0) throw errors[0];
}
