import { readFileSync } from 'node:fs';
import type { Gazetteer } from './gazetteer.ts';
import { loadGazetteer, loadModel, shippedFiles, unpackClassifier, unpackGazetteer, type Model } from './model.ts';
import type { ClassifierWeights } from './spanClassifier.ts';

/** What training produces. */
export interface NameModels {
  readonly model: Model;
  readonly gazetteer: Gazetteer;
  /** The flags of known names, by their `nameHash`. */
  readonly knownNames: Gazetteer;
  readonly classifier: ClassifierWeights;
}

/** Reads the shipped files. */
export const loadNameModels = (): NameModels => ({
  model: loadModel(),
  gazetteer: loadGazetteer(),
  knownNames: unpackGazetteer(readFileSync(shippedFiles.knownNames)),
  classifier: unpackClassifier(readFileSync(shippedFiles.classifier)),
});
