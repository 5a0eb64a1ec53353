/** A GuardrailPolicy in the format of the guardrail: its policy file. Pure. */
import type { GuardrailPolicySpec, PolicyRule, TeamPolicy } from '../api/v1alpha1/v1alpha1.ts';

/** The fields of the resource that have another name in the file. */
const fileNames = { enforcement: 'mode', retention: 'mappingTTL' } as const;

/** The fields of a policy. */
type PolicyFields = { readonly [Name in keyof GuardrailPolicySpec]: GuardrailPolicySpec[Name] | undefined };

/** The text of the policy file. It is JSON, which is YAML too: no value needs an escape that YAML reads differently. */
export function policyText(spec: PolicyFields): string {
  const {
    recall,
    recognizers,
    teams,
    images,
    remoteImages,
    unreadText,
    enforcement,
    retention,
    additionalEntityTypes,
  } = spec;
  const document = {
    ...rulesOf(spec),
    recall: lower(recall),
    images: lower(images),
    remoteImages: lower(remoteImages),
    unreadText: lower(unreadText),
    [fileNames.enforcement]: lower(enforcement),
    [fileNames.retention]: retention,
    recognizers,
    teams: teams === undefined ? undefined : mapValues(teams, rulesOf),
    additionalEntityTypes,
  };
  return `${JSON.stringify(document, undefined, 1)}\n`;
}

/** The path of a field of the resource, from its path in the policy file. */
export function resourcePath(path: readonly (string | number)[]): (string | number)[] {
  const [first, ...rest] = path;
  if (first === undefined) return ['spec'];
  const renamed = Object.entries(fileNames).find(([, name]) => name === first)?.[0];
  return ['spec', renamed ?? first, ...rest];
}

function rulesOf({ profile, default: fallback, entities, allow, deny }: Pick<PolicyFields, keyof TeamPolicy>): object {
  return {
    profile: lower(profile),
    default: fallback === undefined ? undefined : ruleOf(fallback),
    entities: entities === undefined ? undefined : mapValues(entities, ruleOf),
    allow,
    deny,
  };
}

function ruleOf({ action, threshold }: PolicyRule): object {
  return { action: lower(action), threshold };
}

function mapValues<Value>(map: Readonly<Record<string, Value>>, convert: (value: Value) => object): object {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(value)]));
}

function lower(value: string | undefined): string | undefined {
  return value?.toLowerCase();
}
