import { z } from 'zod';
import { mappingTtl } from '../../duration.ts';
import { parseYaml, YamlError } from '../../yaml/yaml.ts';
import { compileLinear } from './linearPattern.ts';
import { PolicyError, type PolicyProblem } from './policyError.ts';
import { profiles } from './profiles.ts';
import { unknownTypes } from './unknownTypes.ts';

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

/** A word of a list. It may begin with a capital letter, as in a GuardrailPolicy. */
const oneOf = <const Values extends readonly [string, string, ...string[]]>(...values: Values) =>
  z.preprocess(
    (given) => (typeof given === 'string' && /^[A-Z][a-z]+$/.test(given) ? given.toLowerCase() : given),
    z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}` }),
  );

const action = oneOf('pseudonymize', 'block', 'ignore');

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
  profile: oneOf(...profiles).optional(),
  /** The rule for types that `entities` does not list and the profile does not ignore. */
  default: rule.optional(),
  entities: z.record(entityType, rule).optional(),
  allow: z.array(allowEntry).max(10_000).optional(),
  deny: z.array(denyEntry).max(10_000).optional(),
};

/** What replaces a setting of the service. A setting that the policy omits stays as it is. */
const settings = {
  recall: oneOf('precise', 'balanced', 'thorough').optional(),
  images: oneOf('redact', 'block', 'pass').optional(),
  remoteImages: oneOf('block', 'pass').optional(),
  unreadText: oneOf('mask', 'block', 'note').optional(),
  mode: oneOf('enforce', 'monitor').optional(),
  mappingTTL: mappingTtl().optional(),
};

/** The names that a GuardrailPolicy has for settings. */
const otherNames = { enforcement: 'mode', retention: 'mappingTTL' } as const;

const policySchema = z
  .strictObject({
    ...rules,
    ...settings,
    enforcement: settings.mode,
    retention: settings.mappingTTL,
    recognizers: z.array(recognizer).max(200).optional(),
    /** Overrides by the gateway's team id. Settings that a team omits come from the rules above. */
    teams: z.record(z.string().min(1), z.strictObject(rules)).optional(),
    /** Types that rules may name because a Presidio with recognizers of its own finds them. */
    additionalEntityTypes: z.array(entityType).max(100).optional(),
  })
  .superRefine((policy, context) => {
    for (const [other, name] of Object.entries(otherNames) as [keyof typeof otherNames, 'mode' | 'mappingTTL'][]) {
      if (policy[other] === undefined || policy[name] === undefined) continue;
      context.addIssue({ code: 'custom', path: [other], message: `is another name of ${name}: remove one of the two` });
    }
  })
  .transform(({ enforcement, retention, ...policy }) => ({
    ...policy,
    ...(enforcement !== undefined && { mode: enforcement }),
    ...(retention !== undefined && { mappingTTL: retention }),
  }));

export type PolicyDocument = z.output<typeof policySchema>;
export type RuleDocument = z.output<typeof rule>;
export type Rules = Pick<PolicyDocument, 'profile' | 'default' | 'entities' | 'allow' | 'deny'>;

/**
 * Parses a policy: the fields of a policy, or a GuardrailPolicy that has them in its spec.
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
  const { fields, path } = fieldsOf(content);
  const parsed = policySchema.safeParse(fields);
  if (!parsed.success) throw new PolicyError(parsed.error.issues.flatMap((issue) => problemsOf(issue, path)));
  const unknown = unknownTypes(parsed.data);
  if (unknown.length > 0) {
    throw new PolicyError(unknown.map((problem) => ({ ...problem, path: [...path, ...(problem.path ?? [])] })));
  }
  return parsed.data;
}

/** What a manifest has beside its spec. What the API server adds has no meaning here. */
const manifestSchema = z.strictObject({
  apiVersion: z
    .string()
    .regex(/^gateway\.guardrail\.dev\/v1alpha1$/, { error: 'must be gateway.guardrail.dev/v1alpha1' }),
  kind: z.literal('GuardrailPolicy', { error: 'must be GuardrailPolicy' }),
  metadata: z.unknown().optional(),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
});

/** The fields of a policy, and where they stand in its text. @throws PolicyError */
function fieldsOf(content: unknown): { readonly fields: unknown; readonly path: readonly string[] } {
  const isManifest = typeof content === 'object' && content !== null && ('kind' in content || 'apiVersion' in content);
  if (!isManifest) return { fields: content, path: [] };
  const manifest = manifestSchema.safeParse(content);
  if (!manifest.success) throw new PolicyError(manifest.error.issues.flatMap((issue) => problemsOf(issue)));
  return { fields: manifest.data.spec ?? {}, path: ['spec'] };
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
