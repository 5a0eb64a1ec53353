/** What tests order `faultyProgram.ts` to do. That module answers messages of the process that imports it. */

/** What the first byte of an image orders. Other values are the duration of the task in milliseconds. */
export const ORDERS = { hang: 1, throw: 2, exit: 3, refuse: 4, untilStopped: 5, inSteps: 6 } as const;

/** The duration of a task in steps, and of a step, in milliseconds. */
export const STEPS = { duration: 1500, step: 100 } as const;
