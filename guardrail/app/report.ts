/** Receives a problem as a sentence. */
export type Report = (problem: string) => void;

/** Makes a sentence of a setting and an error whose message completes "<setting> …". */
export function settingProblem(setting: string, problem: unknown): string {
  const message = problem instanceof Error ? problem.message : 'is not valid';
  return `GUARDRAIL_${setting} ${message}${message.endsWith('.') ? '' : '.'}`;
}
