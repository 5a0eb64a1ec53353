import { readFileSync } from 'node:fs';
import type { Gazetteer } from './gazetteer.ts';
import { shippedFiles, unpackClassifier, unpackGazetteer, unpackModel, type Model } from './model.ts';
import type { ClassifierWeights } from './spanClassifier.ts';
import { networkFiles, unpackNetwork, type NetworkWeights } from './tokenNetwork.ts';

/** What training produces. */
export interface NameModels {
  readonly model: Model;
  readonly gazetteer: Gazetteer;
  /** The flags of known names, by their `nameHash`. */
  readonly knownNames: Gazetteer;
  readonly classifier: ClassifierWeights;
  readonly networks: readonly NetworkWeights[];
}

/** The contents of the files that training writes. */
export const unpackNameModels = (
  files: Readonly<Record<keyof typeof shippedFiles | keyof typeof networkFiles, Buffer>>,
): NameModels => ({
  model: unpackModel(files.model),
  gazetteer: unpackGazetteer(files.gazetteer),
  knownNames: unpackGazetteer(files.knownNames),
  classifier: unpackClassifier(files.classifier),
  networks: [files.network, files.secondNetwork].map(unpackNetwork),
});

/** Reads the shipped files. */
export const loadNameModels = (): NameModels =>
  unpackNameModels({
    model: readFileSync(shippedFiles.model),
    gazetteer: readFileSync(shippedFiles.gazetteer),
    knownNames: readFileSync(shippedFiles.knownNames),
    classifier: readFileSync(shippedFiles.classifier),
    network: readFileSync(networkFiles.network),
    secondNetwork: readFileSync(networkFiles.secondNetwork),
  });
