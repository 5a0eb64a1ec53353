/**
 * The inner loops of the tagger, the classifier and the search for keywords, in AssemblyScript: one module of WebAssembly with
 * vector instructions. In JavaScript, the instructions for a row of weights take as long as the processor needs to run ahead to
 * the next rows, so that it waits for the memory of each. `npm run generate` compiles it to `kernel.wasm`.
 */
export {
  automatonAt,
  capacity,
  classesAt,
  endAt,
  endsAt,
  featuresAt,
  firstWordsAt,
  foldedAt,
  gapAt,
  gazetteerAt,
  kindsAt,
  knownAt,
  labelAt,
  lineCaseAt,
  namesAt,
  reserveAutomaton,
  reserveClassifier,
  reserveNames,
  reserveTagger,
  reserveText,
  rowsAt,
  scoresAt,
  shapeAt,
  spanFirstAt,
  spanKindAt,
  spanKnownAt,
  spanLastAt,
  spanRowsAt,
  spanStepAt,
  startAt,
  sumsAt,
  textAt,
  wordAt,
} from './memory';
export { scan } from './automaton';
export { flagsOfName, flagsOfWord, indexNames } from './gazetteer';
export { knownName } from './names';
export { readTokens } from './tokens';
export { pairFeatures, setKnown, wordFeatures } from './features';
export { sumFeatures } from './rows';
export { readSpans, spanFeatures } from './spans';
export { label } from './tagger';
export { decode, setSpread, setTransition } from './viterbi';
