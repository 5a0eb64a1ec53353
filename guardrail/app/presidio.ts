import { nameTypes, recognizedTypes } from '../detection/detection.ts';
import { knownTypes } from '../entityTypes.ts';
import * as http from '../http/http.ts';
import { createPresidioAnalyzer, recognizerOf } from '../presidioApi/presidioApi.ts';
import type { Settings } from '../settings/settings.ts';
import type { ApiOptions } from './routeOptions.ts';

/** The routes of Presidio's API. */
export interface PresidioRoutes {
  readonly paths: ReadonlySet<string>;
  readonly public: readonly ReturnType<typeof http.presidioHealthRoute>[];
  readonly authenticated: readonly ReturnType<typeof http.presidioRoutes>[];
}

export function createPresidioRoutes(
  { settings, components, metrics, logger }: ApiOptions,
  preHandlers: readonly http.CallMiddleware[],
): PresidioRoutes {
  const { analyzer, uncountedAnalyzer, servicePolicy } = components;
  const { LANGUAGES: languages, PROFILE: profile, DETECTORS: detectors } = settings;
  const detected = detectedTypes(detectors);
  return {
    paths: http.PRESIDIO_PATHS,
    public: [http.presidioHealthRoute()],
    authenticated: [
      http.presidioRoutes({
        analyzer: createPresidioAnalyzer({
          analyzer,
          uncountedAnalyzer,
          policy: servicePolicy,
          profile,
          languages,
          // Not those of the policies of customers, whose names are not for everybody.
          types: () => [...detected, ...servicePolicy().customTypes],
        }),
        languages,
        recognizers: [...detectors, 'policy'].map(recognizerOf),
        ...{ metrics, logger, preHandlers },
      }),
    ],
  };
}

type DetectorName = Settings['DETECTORS'][number];

function detectedTypes(detectors: readonly DetectorName[]): readonly string[] {
  const types = {
    builtin: () => [...nameTypes, ...recognizedTypes()],
    presidio: () => [...knownTypes],
  } satisfies Record<DetectorName, () => readonly string[]>;
  return [...new Set(detectors.flatMap((name) => types[name]()))];
}
