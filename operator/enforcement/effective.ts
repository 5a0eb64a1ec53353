/** What the policy of a customer adds to that of its instance, for the status of the customer. */
import { parsePolicy, type ServiceSettings } from '../../guardrail/guardrail.ts';
import type { EffectivePolicySettings, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import type { EffectivePolicy } from '../configuration/configuration.ts';
import { policyText, resourcePath } from '../policy/policy.ts';
import type { ListedPolicy } from './customerStatus.ts';

/** The maximum number of fields in each list, as the CRD has it. */
const MAX_FIELDS = 256;

/** The settings of a guardrail, which apply where no policy has a setting. */
export function serviceSettings(guardrail: Guardrail): ServiceSettings {
  const { profile, recall, images, remoteImages, unreadText, enforcement, mappingTTL } = guardrail;
  // The guardrail's own parser knows its words and units.
  const set = parsePolicy(
    policyText({ profile, recall, images, remoteImages, unreadText, enforcement, retention: mappingTTL }),
  );
  return {
    profile: set.profile ?? 'personal',
    recall: set.recall ?? 'balanced',
    images: set.images ?? 'redact',
    remoteImages: set.remoteImages ?? 'block',
    unreadText: set.unreadText ?? 'mask',
    mode: set.mode ?? 'enforce',
    mappingTTL: set.mappingTTL ?? 86_400_000,
  };
}

/** What the status says about a policy in a list. */
export function listedPolicy(
  { name, revision }: Pick<ListedPolicy, 'name' | 'revision'>,
  { settings, comparison }: EffectivePolicy,
  allowLooser: boolean,
): ListedPolicy {
  const fields = (names: readonly string[]): string[] => names.map(fieldOf).sort().slice(0, MAX_FIELDS);
  const [tightened, looser] = [fields(comparison.stricter), fields(comparison.looser)];
  return {
    name,
    revision,
    effective: settingsOf(settings),
    ...(tightened.length === 0 ? {} : { tightened }),
    ...(looser.length === 0 ? {} : { [allowLooser ? 'loosened' : 'notApplied']: looser }),
  };
}

/** The name in the resource of a field in the policy file. */
function fieldOf(name: string): string {
  return String(resourcePath([name])[1] ?? name);
}

function settingsOf({
  profile,
  recall,
  images,
  remoteImages,
  unreadText,
  mode,
  mappingTTL,
}: ServiceSettings): EffectivePolicySettings {
  return {
    profile: capitalized(profile),
    recall: capitalized(recall),
    images: capitalized(images),
    remoteImages: capitalized(remoteImages),
    unreadText: capitalized(unreadText),
    enforcement: capitalized(mode),
    retention: durationOf(mappingTTL),
  };
}

/** A word of the policy file as the resource has it: the reverse of what {@link policyText} writes. */
function capitalized<Word extends string>(word: Word): Capitalize<Word> {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}` as Capitalize<Word>;
}

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A duration in the largest unit that gives a whole number. */
function durationOf(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
