/** For tests: a process for images that follows the order in the first byte of an image. */
import type { Answer, WorkerMessage } from '../workerProtocol.ts';
import { ORDERS, STEPS } from './faultyOrders.ts';

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
