import type { Logger } from 'pino';

/** Receives a problem as a sentence. */
export type Report = (problem: string) => void;

/** Makes a sentence of a setting and an error whose message completes "<setting> …". */
export function settingProblem(setting: string, problem: unknown): string {
  const message = problem instanceof Error ? problem.message : 'is not valid';
  return `GUARDRAIL_${setting} ${message}${message.endsWith('.') ? '' : '.'}`;
}

/** Logs the problems of settings that change while the service runs. */
export function logReport(logger: Logger): Report {
  return (problem) => {
    logger.error(`${problem} The previous value stays in use.`);
  };
}
