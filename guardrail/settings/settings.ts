/** The settings of the guardrail: read from the environment and a YAML file, validated, and described for `--help`. */
import leven from 'leven';
import * as z from 'zod';
import { conflictsOf } from './conflicts.ts';
import { SETTINGS, type Name, type Settings } from './definitions.ts';
import { isSecret, type SecretSource } from './secrets.ts';
import { FILE_VARIABLE, PREFIX, readSources, type Given } from './sources.ts';

export { DEFAULT_TENANT, TENANT_NAME, type ApiKeys } from './apiKeys.ts';
export type { AuditOutput } from './auditOutputs.ts';
export { INSTANCE_NAME, type Settings } from './definitions.ts';
export type { RestoreKeys, RestoreRight, ShownTypes } from './restoreKeys.ts';
export { openSecret, readSecret, type Secret } from './secrets.ts';

/** Settings are missing or wrong. The message has one sentence on one line for each problem. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads all settings.
 * @param env `GUARDRAIL_CONFIG` names a YAML file whose members are the other settings, in lower case without the
 * prefix. The environment takes precedence.
 * @throws SettingsError that lists all problems.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  const given = readSources(env, problems);
  const settings: Partial<Record<Name, unknown>> = {};
  for (const name of Object.keys(SETTINGS) as Name[]) {
    const result = readSetting(name, given);
    if (result.problem === undefined) settings[name] = result.value;
    else problems.push(`${labelOf(name, given)} ${result.problem}.`);
  }
  const known = knownNames();
  for (const [name, { label }] of given) if (!known.includes(name)) problems.push(unknownSetting(name, label, known));
  const isGiven = (name: string): boolean => given.has(name) || given.has(`${name}_FILE`);
  problems.push(...conflictsOf(settings as Partial<Settings>, isGiven));
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings as Settings;
}

/** A setting, as `--help` and the reference describe it. */
export interface SettingDescription {
  /** The environment variable, and for a secret also the one that names a file. */
  readonly variables: readonly [string, ...string[]];
  readonly help: string;
  /** Empty: not a choice of few values. */
  readonly values: readonly string[];
  /** Undefined: there is none. */
  readonly preset: string | undefined;
}

/** All settings, in the order of their definition. The first names the file with the others. */
export function listSettings(): SettingDescription[] {
  const file: SettingDescription = {
    variables: [FILE_VARIABLE],
    help: 'YAML file with any of the settings below, in lower case without the prefix. Environment variables take precedence.',
    values: [],
    preset: undefined,
  };
  const others = Object.entries<z.ZodType>(SETTINGS).map(([name, schema]): SettingDescription => {
    const isPreset = schema instanceof z.ZodPrefault;
    const inner = isPreset ? schema.unwrap() : schema;
    return {
      variables: isSecret(schema) ? [`${PREFIX}${name}`, `${PREFIX}${name}_FILE`] : [PREFIX + name],
      help: schema.description ?? '',
      values: inner instanceof z.ZodEnum ? inner.options.map(String) : [],
      preset: isPreset ? String(schema.def.defaultValue) : undefined,
    };
  });
  return [file, ...others];
}

/** All settings, for `--help`. */
export function describeSettings(): string {
  return listSettings()
    .flatMap(({ variables, help, values, preset }) => [
      variables.join(', '),
      `    ${help}${values.length > 0 ? ` Values: ${values.join(', ')}.` : ''}${preset === undefined ? '' : ` Default: ${preset}.`}`,
    ])
    .join('\n');
}

type Result = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

function readSetting(name: Name, given: ReadonlyMap<string, Given>): Result {
  const text = given.get(name)?.text;
  const path = given.get(`${name}_FILE`)?.text;
  const schema: z.ZodType = SETTINGS[name];
  let input: string | SecretSource | undefined = text?.trim();
  if (isSecret(schema)) {
    if (text !== undefined && path !== undefined) {
      return { problem: `and ${PREFIX}${name}_FILE are both set: set only one` };
    }
    input = text !== undefined ? { text } : path !== undefined ? { path } : undefined;
  }
  const { data, error } = schema.safeParse(input);
  return error ? { problem: error.issues[0]?.message ?? 'is not valid' } : { value: data };
}

/** The place where a setting is set, or its variable. */
function labelOf(name: Name, given: ReadonlyMap<string, Given>): string {
  return given.get(name)?.label ?? given.get(`${name}_FILE`)?.label ?? PREFIX + name;
}

function knownNames(): string[] {
  return Object.entries<z.ZodType>(SETTINGS).flatMap(([name, schema]) =>
    isSecret(schema) ? [name, `${name}_FILE`] : [name],
  );
}

function unknownSetting(name: string, label: string, known: readonly string[]): string {
  const distances = known.map((candidate) => ({ candidate, distance: leven(name, candidate) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  const hint =
    nearest && nearest.distance <= 3
      ? `did you mean ${PREFIX}${nearest.candidate}?`
      : 'run the program with --help for a list.';
  return `${label} is not a setting: ${hint}`;
}
