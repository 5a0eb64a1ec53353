import {
  compileDocument,
  createAnalyzer,
  createBuiltinDetector,
  createPresidioDetector,
  layeredPolicy,
  openPolicy,
  withSpanCache,
  type Analyzer,
  type Policy,
  type PolicySource,
  type Profile,
  type ServiceSettings,
} from '../detection/detection.ts';
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

/** The policy in force with another profile, for a page that shows the effect; undefined: as it is. */
export function policyWithProfile({ current }: PolicySource, profile: Profile | undefined): Policy {
  if (profile === undefined) return current;
  return layeredPolicy([compileDocument({ profile }), current.compiled], profile);
}

/** What applies where no policy has a setting. */
export function serviceSettings(settings: Settings): ServiceSettings {
  return {
    profile: settings.PROFILE,
    recall: settings.RECALL,
    images: settings.IMAGES,
    remoteImages: settings.REMOTE_IMAGES,
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
