/** The name of the operator: of its lease and its events, as field manager, as user agent and in labels. */
export const OPERATOR_NAME = 'gateway-guardrail-operator';
