import {
  compilePolicy,
  createAnalyzer,
  createBuiltinDetector,
  createPresidioDetector,
  openPolicy,
  parsePolicy,
  PolicyError,
  withSpanCache,
  type Analyzer,
  type DocumentPolicy,
  type PolicyDocument,
  type PolicySource,
  type Profile,
  type ServiceSettings,
} from '../detection/detection.ts';
import { FieldError } from '../gateways/gateways.ts';
import { SettingsError, type Settings } from '../settings/settings.ts';
import { settingProblem, type Report } from './report.ts';

/**
 * Opens the policy. A change of its file takes effect without a restart.
 * @param report receives a sentence if the changed file is invalid.
 * @throws SettingsError
 */
export function openPolicyOf(settings: Settings, report: Report): PolicySource {
  try {
    return openPolicy({
      policy: settings.POLICY,
      profile: settings.PROFILE,
      report: (problem) => {
        report(settingProblem('POLICY', problem));
      },
    });
  } catch (error) {
    throw new SettingsError(settingProblem('POLICY', error), { cause: error });
  }
}

/** What to try in place of the policy in force. */
export interface PolicyTrial {
  /** Undefined: as it is. */
  readonly profile: Profile | undefined;
  /** A policy in YAML. Undefined: the policy in force. */
  readonly draft: string | undefined;
}

/**
 * The policy in force with a change, for a page that shows the effect.
 * @param defaultProfile the profile of a draft without one
 * @returns undefined: nothing changes
 * @throws FieldError if the draft is invalid
 */
export function trialOf(
  { current }: PolicySource,
  { profile, draft }: PolicyTrial,
  defaultProfile: Profile,
): DocumentPolicy | undefined {
  if (profile === undefined && draft === undefined) return undefined;
  const document = draft === undefined ? current.compiled.document : parseDraft(draft);
  return compilePolicy(profile === undefined ? document : withProfile(document, profile), defaultProfile);
}

/** A policy with one profile for all teams. */
function withProfile(document: PolicyDocument, profile: Profile): PolicyDocument {
  const teams = Object.entries(document.teams ?? {}).map(([team, rules]) => [team, { ...rules, profile }] as const);
  return { ...document, profile, teams: Object.fromEntries(teams) };
}

/** @throws FieldError */
function parseDraft(draft: string): PolicyDocument {
  try {
    return parsePolicy(draft);
  } catch (error) {
    if (error instanceof PolicyError) throw new FieldError(`policy: ${error.message}`);
    throw error;
  }
}

/** What applies where no policy has a setting. */
export function serviceSettings(settings: Settings): ServiceSettings {
  return {
    profile: settings.PROFILE,
    recall: settings.RECALL,
    images: settings.IMAGES,
    remoteImages: settings.REMOTE_IMAGES,
    unreadText: settings.UNREAD_TEXT,
    mode: settings.MODE,
    mappingTTL: settings.MAPPING_TTL,
  };
}

/** Creates the analyzer with the detectors of the settings. @throws PolicyError */
export function openAnalyzer(settings: Settings, policy: PolicySource): Analyzer {
  const detectors = settings.DETECTORS.map((name) => {
    switch (name) {
      case 'builtin':
        // Not Presidio: a server can find other values tomorrow, and must be asked as long as it is required.
        return withSpanCache(createBuiltinDetector({ recall: settings.RECALL, languages: settings.LANGUAGES }));
      case 'presidio':
        return createPresidioDetector({
          url: settings.PRESIDIO_URL?.href ?? '',
          timeoutMs: settings.DETECTION_TIMEOUT,
          languages: settings.LANGUAGES,
        });
    }
  });
  return createAnalyzer({ detectors, policy });
}
