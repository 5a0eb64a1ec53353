/**
 * The public interface of detection. Offsets are UTF-16 code units. Presidio and the `detect` command use code points, and
 * convert them.
 */
export * from './contract.ts';
export { createAnalyzer, type AnalyzerOptions } from './analyzer.ts';
export { luhn, decimalModulo } from './recognizers/checksums.ts';
export { createBuiltinDetector, type BuiltinOptions } from './builtinDetector.ts';
export { explain, ExplanationBudget, type ExplainedFinding, type Explanation } from './explanation.ts';
export { droppedJson, findingJson, policyLines, reasonOf } from './explanationReport.ts';
export { recognizedRules } from './recognizers/recognizers.ts';
export { boundedRule, rulesOfNames } from './rules.ts';
export { runDetect, type DetectOptionsOfCommand } from './detectCommand.ts';
export {
  compileDocument,
  compilingDocument,
  compilePolicy,
  defaultPolicy,
  layeredPolicy,
  type CompiledDocument,
  type DocumentPolicy,
} from './policy/policy.ts';
export { withoutAllowed } from './policy/allowList.ts';
export type { Profile } from './policy/profiles.ts';
export { openPolicy, type PolicySource, type PolicySourceOptions } from './policy/policySource.ts';
export { nameTypes } from './ner/entityClasses.ts';
export { compileLinear, type Compiled } from './policy/linearPattern.ts';
export { generalTypeOf } from '../entityTypes.ts';
export { recognizedTypes } from './recognizers/recognizers.ts';
export { toCodePoints, toUtf16 } from './text/codePoints.ts';
export { MAX_ENTITY, splitLongEntities } from './entityLength.ts';
export { withSpanCache } from './spanCache.ts';
export { createPresidioDetector, type PresidioOptions } from './presidio.ts';
export { strictestPolicy, type ServiceSettings } from './policy/strictness.ts';
export { PolicyError } from './policy/policyError.ts';
export { parsePolicy, type PolicyDocument } from './policy/schema.ts';
