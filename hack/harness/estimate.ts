/** Estimates the progress and the remaining time of a long step, as text. Pure. */

/** Countable work: packages, bytes. */
export interface Pace {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}

/** Before this amount of work, an estimate would vary too much. */
const TELLING_SHARE = 0.02;
const TELLING_MS = 5_000;

/** The remaining seconds at the average pace so far; undefined while there is too little data. */
export function secondsLeft({ done, total, elapsedMs }: Pace): number | undefined {
  if (total <= 0 || done / total < TELLING_SHARE || elapsedMs < TELLING_MS) return undefined;
  return (elapsedMs / 1000) * (Math.max(0, total - done) / done);
}

/** `29 %, about 4 min left`; without the time while it is unknown. */
export function describePace(pace: Pace): string {
  const percent = `${Math.floor((Math.min(pace.done, pace.total) / Math.max(1, pace.total)) * 100)} %`;
  const left = secondsLeft(pace);
  return left === undefined ? percent : `${percent}, about ${duration(left)} left`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(10, Math.ceil(seconds / 10) * 10)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** `kube-apiserver, etcd and kubectl`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
