/**
 * The administrative routes of gateways. They create keys, change budgets and show what others have sent, so a client of
 * models has no business there, and no setting forwards them.
 */

/** First segments of paths, after a version such as `/v2`. From the routes of LiteLLM 1.106, and SCIM. */
const SEGMENTS = `
  .well-known access_group access_groups active activity adaptive_router add admin agent alerting api apply_guardrail apps
  authorize auto_router budget budgets cache callback callbacks claude-code cloudzero compliance config config_overrides
  coordination_redis cost cost_optimization credentials customer customers debug delete docs end_user fallback flushall gateway
  get get_favicon get_image get_logo_url global groups guardrail guardrails health healthz identities internal introspect
  invitation jwt key keys lazy litellm livez login logout make_public managed memory-usage memory-usage-in-mem-cache
  memory-usage-in-mem-cache-items metrics model model-insights model_group model_hub network oauth onboarding
  openapi-registry openapi.json organization organizations otel-spans plugin-proxy policies policy project projects prompts
  provider public ready readyz redis redoc register reload resourcetypes revoke roi-calculator router routes schedule schemas
  scim search_tools server service serviceproviderconfig session sessions settings spend spend_logs sso sync tag tags team
  teams test token toolset tracing ui update upload usage user user-credentials user-env-vars users utils vantage
  vector_store watch-all worker workers
`;

const ADMIN = new Set(SEGMENTS.trim().split(/\s+/));

/** @param path in the form of `canonical` */
export function isAdminPath(path: string): boolean {
  const [first = ''] = path
    .replace(/^\/v\d+[a-z0-9]*(?=\/)/, '')
    .slice(1)
    .split('/');
  return ADMIN.has(first);
}
