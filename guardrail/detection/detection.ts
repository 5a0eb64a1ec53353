/**
 * What the rest of the guardrail knows of detection. Offsets are UTF-16 code units everywhere inside the program;
 * what speaks code points (Presidio, the `detect` command) converts at its edge.
 */
export * from './contract.ts';
export { createAnalyzer, type AnalyzerOptions } from './analyzer.ts';
export { createBuiltinDetector, type BuiltinOptions } from './builtin/builtin.ts';
