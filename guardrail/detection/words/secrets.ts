/** How keys, and the words around secrets in code and configuration, look. */

/**
 * Prefixes of the keys of services, with the alphabet and the length of the rest. Source: the services' documentation.
 */
export const prefixedKeys: readonly string[] = [
  'sk-(?:proj-|ant-|or-v1-|live-|svcacct-|admin-|lf-)?[\\w-]{16,200}', // OpenAI, Anthropic, OpenRouter, LiteLLM, Langfuse
  'pk-lf-[\\w-]{30,60}',
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}', // Stripe
  'whsec_[A-Za-z0-9+/=]{24,80}',
  'gh[pousr]_[A-Za-z0-9]{30,255}', // GitHub
  'github_pat_[A-Za-z0-9_]{30,255}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\\w-]{18,100}', // GitLab
  '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}', // AWS
  'AIza[\\w-]{33,45}', // Google
  'ya29\\.[\\w-]{20,300}',
  'GOCSPX-[\\w-]{20,40}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,250}', // Slack
  'xapp-\\d-[A-Za-z0-9-]{20,250}',
  'hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,80}',
  'SG\\.[\\w-]{16,40}\\.[\\w-]{16,60}', // SendGrid
  'key-[0-9a-f]{32}', // Mailgun
  '(?:AC|SK)[0-9a-f]{32}', // Twilio
  'npm_[A-Za-z0-9]{36}',
  'pypi-[\\w-]{50,250}',
  'hf_[A-Za-z0-9]{30,60}', // Hugging Face
  'r8_[A-Za-z0-9]{30,60}', // Replicate
  'gsk_[A-Za-z0-9]{30,80}', // Groq
  'xai-[A-Za-z0-9]{40,120}',
  'pplx-[A-Za-z0-9]{30,80}',
  'lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,80}', // LangSmith
  'nvapi-[\\w-]{40,100}',
  'dop_v1_[0-9a-f]{64}', // DigitalOcean
  'hv[sbr]\\.[\\w-]{20,300}', // Vault
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}', // Shopify
  'dapi[0-9a-f]{32}', // Databricks
  'PMAK-[0-9a-f-]{50,70}', // Postman
  'NRAK-[A-Z0-9]{27}', // New Relic
  'glsa_[A-Za-z0-9_]{32,60}', // Grafana
  'EAA[A-Za-z0-9]{40,300}', // Meta
  'sq0(?:atp|csp)-[\\w-]{22,60}', // Square
  'lin_api_[A-Za-z0-9]{30,60}', // Linear
  'secret_[A-Za-z0-9]{40,60}', // Notion
  'ntn_[A-Za-z0-9]{40,60}',
  'figd_[\\w-]{30,60}', // Figma
  'dckr_pat_[\\w-]{20,60}', // Docker
  'rubygems_[0-9a-f]{48}',
  'ATATT3[\\w=-]{50,250}', // Atlassian
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'tskey-[a-z]+-[A-Za-z0-9-]{20,80}', // Tailscale
  'sbp_[0-9a-f]{40}', // Supabase
  'vc[a-z]_[A-Za-z0-9]{24,80}', // Vercel
  '\\d{8,10}:AA[\\w-]{33}', // Telegram
  '[MNO][\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,40}', // Discord
];

/** Words for a key in code and configuration, as alternatives. */
export const secretKeys = String.raw`secret(?:[_ -]?key)?|(?:api|access|auth|private|client|account|encryption|signing|master|session|refresh|[cx]srf)[_ -]?(?:key|token|secret)(?:[_ -]?id)?|(?:j|php)?sess(?:ion)?(?:[_ -]?id)?|token|bearer|credentials?`;

/** Before a secret key of a cloud. */
export const cloudKeyWord = /aws|secret|access.?key/;

/** Configuration values, and words of code, that can follow a word for a secret, as alternatives. */
export const configurationValues =
  'true|false|null|none|undefined|string|str|number|int|integer|boolean|bool|object|any|required|optional|secret|token|password|passwd|process|env|os|self|this|config|settings|options|value|input|getenv|bearer|basic';

/** What stands in the place of a key. */
export const placeholders = /x{6}|\*{4}|\.{4}|(?:your|placeholder|redacted)/i;

/** The options of programs whose value is a password, with what stands before it, as alternatives. */
export const passwordOptions = String.raw`\b(?:(?:mysql\w{0,6}|mariadb(?:-dump)?|7z[ar]?)\b[^\n|;&]{0,120}?\s-p|(?:sshpass|mongo(?:sh|dump|restore)?|(?:docker|podman) login)\b[^\n|;&]{0,120}?\s-p\s{1,3}|redis-cli\b[^\n|;&]{0,120}?\s(?:-a|--pass)\s{1,3}|ldap(?:search|modify|add|whoami|passwd)\b[^\n|;&]{0,160}?\s-w\s{1,3})`;

/** Character references of HTML without their semicolons, as alternatives. */
export const htmlReferences = 'amp|nbsp|lt|gt|quot|apos|#';
