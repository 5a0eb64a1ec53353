/** The name of the operator: in its lease, events and labels, as field manager and as user agent. */
export const OPERATOR_NAME = 'gateway-guardrail-operator';
