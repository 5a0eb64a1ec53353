/** For tests: a process for images that follows the order in the first byte of an image. */
import type { Answer, WorkerMessage } from '../workerProtocol.ts';

/** What the first byte orders. Other values are the duration of the task in milliseconds. */
export const ORDERS = { hang: 1, throw: 2, exit: 3, refuse: 4, untilStopped: 5, inSteps: 6 } as const;

/** The duration of a task in steps, and of a step, in milliseconds. */
export const STEPS = { duration: 1500, step: 100 } as const;

let stop: (() => void) | undefined;

process.on('message', (message: WorkerMessage) => {
  if (message.kind === 'stop') {
    stop?.();
    return;
  }
  const { kind, bytes } = message;
  const answer = (what: Answer): void => void process.send?.({ kind, answer: what });
  const words = [{ text: String(process.pid), from: 0, to: 1 }];
  const box = { x: 0, y: 0, width: 1, height: 1, angle: 0 };
  const result = { angle: 0, lines: [{ box, words, isUnread: false }], isAltered: false };
  const finish = (): void => {
    answer(kind === 'read' ? { result } : { bytes });
  };
  const [order = 0] = bytes;
  switch (order) {
    case ORDERS.hang:
      for (;;);
    case ORDERS.throw:
      throw new Error('Anna Schmidt');
    case ORDERS.exit:
      process.exit(0);
      break;
    case ORDERS.refuse:
      answer({ problem: 'damaged' });
      break;
    case ORDERS.untilStopped:
      stop = () => {
        answer({ isStopped: true });
      };
      break;
    case ORDERS.inSteps: {
      const steps = setInterval(() => process.send?.({ kind }), STEPS.step);
      setTimeout(() => {
        clearInterval(steps);
        finish();
      }, STEPS.duration);
      break;
    }
    default:
      setTimeout(finish, order);
  }
});
process.on('disconnect', () => process.exit(0));
