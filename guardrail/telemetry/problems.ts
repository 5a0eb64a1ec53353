/** Reports problems of the export, without what the SDK says about them: its messages quote answers of the collector. */
import { errorType } from '../errorType.ts';
import { onceAMinute } from '../onceAMinute.ts';

/** What is known of problems. */
export interface ProblemReport {
  /** The class or the code of the last error; undefined: the SDK gave only a message. */
  readonly error?: string;
  /** The last status that the collector answered. */
  readonly status?: number;
  /** The number of problems since the last report. */
  readonly count: number;
}

/**
 * Reports the first problem at once, and later ones at most once a minute.
 * @param clock milliseconds that never go back
 */
export function createProblemLog(
  report: (report: ProblemReport) => void,
  clock?: () => number,
): (error?: unknown) => void {
  const due = onceAMinute(clock);
  return (error) => {
    const count = due();
    if (count === undefined) return;
    const status = statusOf(error);
    report({ ...(error !== undefined && { error: errorType(error) }), ...(status !== undefined && { status }), count });
  };
}

/** The code of an OTLPExporterError: the status of HTTP, or of gRPC. */
function statusOf(error: unknown): number | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'number' ? code : undefined;
}
