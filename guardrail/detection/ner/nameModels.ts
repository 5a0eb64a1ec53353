import { readFileSync } from 'node:fs';
import type { Gazetteer } from './gazetteer.ts';
import { KnownNames } from './knownNames.ts';
import { loadGazetteer, loadModel, shippedFiles, unpackClassifier, unpackGazetteer, type Model } from './model.ts';
import type { ClassifierWeights } from './spanClassifier.ts';

/** What training produces. */
export interface NameModels {
  readonly model: Model;
  readonly gazetteer: Gazetteer;
  readonly knownNames: KnownNames;
  readonly classifier: ClassifierWeights;
}

/** Reads the shipped files. */
export const loadNameModels = (): NameModels => ({
  model: loadModel(),
  gazetteer: loadGazetteer(),
  knownNames: new KnownNames(unpackGazetteer(readFileSync(shippedFiles.knownNames))),
  classifier: unpackClassifier(readFileSync(shippedFiles.classifier)),
});
