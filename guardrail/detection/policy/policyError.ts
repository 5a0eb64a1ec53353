/** What is wrong with a policy. Pure. */

/** Maximum number of errors in one message, which must fit into a condition. */
const MAX_SHOWN_PROBLEMS = 20;

/** One error of a policy. */
export interface PolicyProblem {
  /** The path of the field; undefined: the error is in the text as a whole, and `text` is a sentence. */
  readonly path: readonly (string | number)[] | undefined;
  /** Completes the sentence "<field> …", without the full stop. */
  readonly text: string;
  /** The field names an entity type that nothing finds. */
  readonly isUnknownType?: true;
}

/** A policy is invalid. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly details: readonly PolicyProblem[];
  /** Each problem as one sentence that names the field. */
  readonly problems: readonly string[];

  constructor(details: readonly PolicyProblem[]) {
    const problems = details.map(({ path, text }) => (path === undefined ? text : `${policyField(path)} ${text}.`));
    const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
    const rest = problems.length > shown.length ? ` The first ${shown.length} are shown.` : '';
    super(`has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}: ${shown.join(' ')}${rest}`);
    this.details = details;
    this.problems = problems;
  }
}

/** The name of a field, for messages: `recognizers[0].pattern`. */
export function policyField(path: readonly (string | number)[]): string {
  const written = path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
    '',
  );
  return written === '' ? 'The policy' : written;
}
