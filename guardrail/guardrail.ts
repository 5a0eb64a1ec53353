/** The face of the guardrail for the operator: what both must agree on. The operator imports nothing else of it. */
// Not through the folder's face, which brings the models of detection with it.
// eslint-disable-next-line no-restricted-imports
export { parsePolicy, PolicyError } from './detection/policy/schema.ts';
export { DEFAULT_MAX_BODY, heapOf, limitFor, maxBodyOf } from './memoryBudget.ts';
export { MAX_YAML_BYTES, parseYaml, YamlError } from './yaml/yaml.ts';
