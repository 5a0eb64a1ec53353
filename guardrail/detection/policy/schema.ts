import { z } from 'zod';
import { mappingTtl } from '../../duration.ts';
import { parseYaml, YamlError } from '../../yaml/yaml.ts';
import { compileLinear } from './linearPattern.ts';
import { profiles } from './profiles.ts';

const entityType = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,39}$/, 'must be upper snake case of at most 40 characters, for example EMPLOYEE_ID');
const score = z.number().min(0, 'must be between 0 and 1').max(1, 'must be between 0 and 1');
const value = z
  .string()
  .trim()
  .min(2, 'must have at least two characters')
  .max(200, 'must have at most 200 characters');

const types = z.array(entityType).min(1, 'must name at least one type');

const pattern = z
  .string()
  .min(1)
  .max(1000, 'must have at most 1000 characters')
  .superRefine((source, context) => {
    const problem = compileLinear(source).problem;
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const action = z.enum(['pseudonymize', 'block', 'ignore'], { error: 'must be pseudonymize, block or ignore' });

/** The action for one entity type, and its threshold. */
const rule = z.union(
  [
    action.transform((only) => ({ action: only })),
    z.strictObject({ action: action.optional(), threshold: score.optional() }),
  ],
  { error: 'must be pseudonymize, block or ignore, or a mapping with action and threshold' },
);

const allowEntry = z.union(
  [
    value.transform((text) => ({ value: text })),
    z.strictObject({ value, types: types.optional() }),
    z.strictObject({ pattern, types: types.optional() }),
  ],
  { error: 'must be a string, or a mapping with value or pattern, and optionally types' },
);

interface DenyEntry {
  value: string;
  type: string;
  /** Whether the case of letters, and accents, count. Default: no. */
  caseSensitive?: boolean | undefined;
}

const denyEntry = z.union(
  [
    value.transform((text): DenyEntry => ({ value: text, type: 'DENIED' })),
    z.strictObject({ value, type: entityType.default('DENIED'), caseSensitive: z.boolean().optional() }),
  ],
  { error: 'must be a string, or a mapping with value, and optionally type and caseSensitive' },
);

const recognizer = z.strictObject({
  name: z.string().min(1).max(100),
  type: entityType,
  pattern,
  /** Score of a match without a context word near it. */
  score: score.default(0.6),
  /** Context words. One of them near a match raises the score by 0.35. */
  context: z.array(value).max(100).optional(),
});

const rules = {
  /** Which types are replaced that `entities` does not list. Default: the setting of the service. */
  profile: z.enum(profiles, { error: 'must be personal or confidential' }).optional(),
  /** The rule for types that `entities` does not list and the profile does not ignore. */
  default: rule.optional(),
  entities: z.record(entityType, rule).optional(),
  allow: z.array(allowEntry).max(10_000).optional(),
  deny: z.array(denyEntry).max(10_000).optional(),
};

const oneOf = <const Values extends readonly [string, string, ...string[]]>(...values: Values) =>
  z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}` });

/** What replaces a setting of the service. A setting that the policy omits stays as it is. */
const settings = {
  recall: oneOf('precise', 'balanced', 'thorough').optional(),
  images: oneOf('redact', 'block', 'pass').optional(),
  remoteImages: oneOf('block', 'pass').optional(),
  unreadText: oneOf('mask', 'block', 'note').optional(),
  mode: oneOf('enforce', 'monitor').optional(),
  mappingTTL: mappingTtl().optional(),
};

const policySchema = z.strictObject({
  ...rules,
  ...settings,
  recognizers: z.array(recognizer).max(200).optional(),
  /** Overrides by the gateway's team id. Settings that a team omits come from the rules above. */
  teams: z.record(z.string().min(1), z.strictObject(rules)).optional(),
});

export type PolicyDocument = z.output<typeof policySchema>;
export type RuleDocument = z.output<typeof rule>;
export type Rules = Pick<PolicyDocument, 'profile' | 'default' | 'entities' | 'allow' | 'deny'>;

/** Maximum number of errors in one message, which must fit into a condition. */
const MAX_SHOWN_PROBLEMS = 20;

/** One error of a policy. */
export interface PolicyProblem {
  /** The path of the field; undefined: the error is in the text as a whole, and `text` is a sentence. */
  readonly path: readonly (string | number)[] | undefined;
  /** Completes the sentence "<field> …", without the full stop. */
  readonly text: string;
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

/**
 * Parses a policy.
 * @throws PolicyError with all errors.
 */
export function parsePolicy(yaml: string): PolicyDocument {
  const document = documentOf(yaml);
  // Aliases are rejected: a few lines of them can expand to gigabytes.
  let content: unknown;
  try {
    content = document?.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    throw new PolicyError([{ path: undefined, text: 'Aliases are not allowed: write the values out.' }]);
  }
  const parsed = policySchema.safeParse(content);
  if (!parsed.success) throw new PolicyError(parsed.error.issues.flatMap((issue) => problemsOf(issue)));
  return parsed.data;
}

function documentOf(yaml: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(yaml);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { code, position, message } = error;
    const text = position === undefined ? `It ${message}.` : `Line ${position.line} is not valid YAML (${code}).`;
    throw new PolicyError([{ path: undefined, text }]);
  }
}

type Issue = z.core.$ZodIssue;

function problemsOf(issue: Issue, parent: readonly (string | number)[] = []): PolicyProblem[] {
  const path = [...parent, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  // In a union, the branch that matched furthest has the best message.
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors
      .filter((branch) => branch.some(({ path: at, code }) => at.length > 0 && code !== 'unrecognized_keys'))
      .filter((branch) => !branch.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0))
      .sort((a, b) => a.length - b.length)[0];
    if (deepest) return deepest.flatMap((inner) => problemsOf(inner, path));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: 'is unknown: remove it or correct its spelling' }));
  }
  if (issue.code === 'invalid_key') return [{ path, text: issue.issues[0]?.message ?? 'is not a valid key' }];
  const { message } = issue;
  const isGeneric = message.startsWith('Invalid input');
  return [{ path, text: isGeneric ? message.replace(/^Invalid input: /, 'is not valid: ') : message }];
}

/** The name of a field, for messages: `recognizers[0].pattern`. */
export function policyField(path: readonly (string | number)[]): string {
  const written = path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
    '',
  );
  return written === '' ? 'The policy' : written;
}
