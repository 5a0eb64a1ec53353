import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../testing/appHarness.ts';
import { issueCertificates } from '../testing/certificates.ts';
import { SettingsError, describeSettings, openSecret, readSettings, type Settings } from './settings.ts';

const KEYS = { GUARDRAIL_API_KEYS: 'litellm:sk-0123456789' };
const PROXIED = { GUARDRAIL_PROXY_UPSTREAM: 'http://h' };
const REDIS = {
  ...KEYS,
  GUARDRAIL_STORE: 'redis://127.0.0.1:6379',
  GUARDRAIL_SESSION_KEY: 's'.repeat(32),
  GUARDRAIL_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readSettings(env);
  } catch (error) {
    expect(error).to.be.instanceOf(SettingsError);
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('the settings', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('have the documented defaults', () => {
    const config = readSettings(KEYS);
    const { API_KEYS: _, ...rest } = config;
    expect(rest).to.deep.equal({
      PORT: 8080,
      METRICS_PORT: 9090,
      HOST: '0.0.0.0',
      ADMIN_KEYS: undefined,
      RESTORE_KEYS: undefined,
      RESTORE_RATE: 120,
      INSECURE_NO_AUTH: false,
      SESSION_KEY: undefined,
      PROXY_NAMES: ['gateway', 'litellm'],
      PROXY_UPSTREAM: undefined,
      PROXY_PORT: 8081,
      PROXY_HOST: undefined,
      PROXY_UNKNOWN: 'block',
      PROXY_END_USER: 'keep',
      PROXY_IDENTITY_HEADERS: undefined,
      PROXY_CUSTOMER_HEADERS: ['x-litellm-customer-id', 'x-litellm-end-user-id'],
      CUSTOMERS: undefined,
      METRICS_TOKEN: undefined,
      TLS_CERT: undefined,
      TLS_KEY: undefined,
      TLS_CLIENT_CA: undefined,
      EXT_PROC_PORT: undefined,
      EXT_PROC_TLS_CERT: undefined,
      EXT_PROC_TLS_KEY: undefined,
      EXT_PROC_TLS_CLIENT_CA: undefined,
      MCP_UPSTREAM: undefined,
      MCP_PORT: 8082,
      MCP_RESTORE_TYPES: { types: undefined },
      MCP_ORIGINS: undefined,
      STORE: { kind: 'memory' },
      MAPPING_TTL: 86_400_000,
      ENCRYPTION_KEYS: undefined,
      MODE: 'enforce',
      PLAYGROUND: false,
      PRESIDIO_API: false,
      DETECTORS: ['builtin'],
      PRESIDIO_URL: undefined,
      DETECTION_TIMEOUT: 1000,
      PROFILE: 'personal',
      RECALL: 'balanced',
      LANGUAGES: ['en'],
      REQUIRE_END_USER: false,
      SESSION_SCOPE: 'user',
      POLICY: undefined,
      IMAGES: 'redact',
      REMOTE_IMAGES: 'block',
      UNREAD_TEXT: 'mask',
      AUDIT: [],
      INSTANCE: undefined,
      MAX_BODY: 10 * 1024 * 1024,
      WORKERS: 1,
      LOG_LEVEL: 'info',
    });
  });

  const READ: [name: keyof Settings, text: string, value: unknown][] = [
    ['MAPPING_TTL', '30m', 1_800_000],
    ['MAPPING_TTL', '1h30m', 5_400_000],
    ['MAPPING_TTL', '1.5h', 5_400_000],
    ['DETECTION_TIMEOUT', '250ms', 250],
    ['MAX_BODY', '1MB', 1_000_000],
    ['MAX_BODY', '2Mi', 2 * 1024 * 1024],
    ['MAX_BODY', '4096', 4096],
    ['PROXY_NAMES', 'litellm, acme_ai', ['litellm', 'acme_ai']],
    ['METRICS_PORT', '0', 0],
    ['METRICS_PORT', 'off', 'off'],
    ['INSECURE_NO_AUTH', 'true', true],
    ['LANGUAGES', 'en,de', ['en', 'de']],
    ['AUDIT', 'off', []],
    [
      'AUDIT',
      'stdout, otlp,/var/log/audit.jsonl',
      [{ kind: 'stdout' }, { kind: 'otlp' }, { kind: 'file', path: '/var/log/audit.jsonl' }],
    ],
    ['INSTANCE', 'ai/main', 'ai/main'],
  ];
  for (const [name, text, value] of READ) {
    it(`read ${name}=${text}`, () => {
      expect(readSettings({ ...KEYS, [`GUARDRAIL_${name}`]: text })[name]).to.deep.equal(value);
    });
  }

  const PROXY: [name: keyof Settings, text: string, value: unknown][] = [
    ['PROXY_UPSTREAM', 'http://litellm:4000', new URL('http://litellm:4000/')],
    ['PROXY_UPSTREAM', 'https://api.example/openai/', new URL('https://api.example/openai')],
    ['PROXY_PORT', '0', 0],
    ['PROXY_HOST', '127.0.0.1', '127.0.0.1'],
    ['PROXY_UNKNOWN', 'generic', 'generic'],
    ['PROXY_END_USER', 'pseudonymize', 'pseudonymize'],
    ['PROXY_IDENTITY_HEADERS', 'X-User-Id, x-org', ['x-user-id', 'x-org']],
  ];
  for (const [name, text, value] of PROXY) {
    it(`read ${name}=${text} of the proxy`, () => {
      const settings = readSettings({ ...KEYS, GUARDRAIL_PROXY_UPSTREAM: 'http://h', [`GUARDRAIL_${name}`]: text });
      expect(settings[name]).to.deep.equal(value);
    });
  }

  it('read the certificates of the external processor, which also uses the settings of the proxy', () => {
    const { ca, server } = issueCertificates();
    const env = {
      GUARDRAIL_EXT_PROC_PORT: '8082',
      GUARDRAIL_EXT_PROC_TLS_CERT_FILE: file('tls.crt', server.certificate),
      GUARDRAIL_EXT_PROC_TLS_KEY_FILE: file('tls.key', server.key),
      GUARDRAIL_EXT_PROC_TLS_CLIENT_CA: ca,
      GUARDRAIL_PROXY_HOST: '127.0.0.1',
      GUARDRAIL_PROXY_UNKNOWN: 'generic',
      GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-user',
    };
    const settings = readSettings({ ...KEYS, ...env });
    expect([settings.EXT_PROC_PORT, settings.EXT_PROC_TLS_CERT?.kind]).to.deep.equal([8082, 'file']);
    const problems = problemsOf({
      ...KEYS,
      ...env,
      GUARDRAIL_EXT_PROC_TLS_CERT_FILE: file('other.crt', issueCertificates().server.certificate),
    });
    expect(problems).to.deep.equal([
      'GUARDRAIL_EXT_PROC_TLS_KEY is not the key of GUARDRAIL_EXT_PROC_TLS_CERT: set those of one pair.',
    ]);
    const wrong = {
      GUARDRAIL_EXT_PROC_PORT: '8082',
      GUARDRAIL_EXT_PROC_TLS_KEY: 'none',
      GUARDRAIL_EXT_PROC_TLS_CLIENT_CA: 'none',
    };
    expect(problemsOf({ ...KEYS, ...wrong })).to.deep.equal([
      'GUARDRAIL_EXT_PROC_TLS_KEY must contain a private key in PEM without a passphrase.',
      'GUARDRAIL_EXT_PROC_TLS_CLIENT_CA must contain certificates in PEM, which begin with -----BEGIN CERTIFICATE-----.',
      'GUARDRAIL_EXT_PROC_TLS_CERT and GUARDRAIL_EXT_PROC_TLS_KEY, or their _FILE, must be set together: TLS needs both.',
    ]);
    expect(problemsOf({ ...KEYS, GUARDRAIL_EXT_PROC_TLS_CLIENT_CA: ca })).to.deep.equal([
      'GUARDRAIL_EXT_PROC_TLS_CLIENT_CA has no effect without GUARDRAIL_EXT_PROC_PORT: set both, or neither.',
    ]);
  });

  it('read the certificates of the service and the token of its metrics', () => {
    const { ca, server } = issueCertificates();
    const pair = { GUARDRAIL_TLS_CERT: server.certificate, GUARDRAIL_TLS_KEY_FILE: file('service.key', server.key) };
    const token = { GUARDRAIL_METRICS_TOKEN_FILE: file('token', 'a-token-of-prometheus\n') };
    const settings = readSettings({ ...KEYS, ...pair, ...token, GUARDRAIL_TLS_CLIENT_CA: ca });
    expect([settings.TLS_CERT?.kind, settings.TLS_KEY?.kind, settings.METRICS_TOKEN?.kind]).to.deep.equal([
      'value',
      'file',
      'file',
    ]);
    expect(problemsOf({ ...KEYS, ...pair, GUARDRAIL_TLS_CERT: issueCertificates().server.certificate })).to.deep.equal([
      'GUARDRAIL_TLS_KEY is not the key of GUARDRAIL_TLS_CERT: set those of one pair.',
    ]);
    expect(problemsOf({ ...KEYS, GUARDRAIL_TLS_CLIENT_CA: ca })).to.deep.equal([
      'GUARDRAIL_TLS_CERT and GUARDRAIL_TLS_KEY, or their _FILE, must be set together: TLS needs both.',
    ]);
    expect(problemsOf({ ...KEYS, GUARDRAIL_METRICS_TOKEN: 'short' })).to.deep.equal([
      'GUARDRAIL_METRICS_TOKEN must contain a token of at least 16 visible ASCII characters.',
    ]);
    expect(problemsOf({ ...KEYS, ...token, GUARDRAIL_METRICS_PORT: 'off' })).to.deep.equal([
      'GUARDRAIL_METRICS_TOKEN has no effect if GUARDRAIL_METRICS_PORT is off: set a port, or no token.',
    ]);
  });

  const WRONG: [env: NodeJS.ProcessEnv, problem: RegExp][] = [
    [
      { GUARDRAIL_AUDIT: 'audit.jsonl' },
      /^GUARDRAIL_AUDIT must be off, or contain stdout, stderr, otlp or the absolute/,
    ],
    [{ GUARDRAIL_AUDIT: 'off,stdout' }, /^GUARDRAIL_AUDIT must be off, or contain/],
    [{ GUARDRAIL_AUDIT: 'otlp,otlp' }, /^GUARDRAIL_AUDIT must not contain the same entry twice\.$/],
    [{ GUARDRAIL_INSTANCE: 'a b' }, /^GUARDRAIL_INSTANCE must be a name of letters/],
    [{ GUARDRAIL_PORT: '70000' }, /^GUARDRAIL_PORT must be a whole number from 0 to 65535\.$/],
    [{ GUARDRAIL_METRICS_PORT: 'on' }, /^GUARDRAIL_METRICS_PORT must be off, or a whole number from 0 to 65535\.$/],
    [
      { GUARDRAIL_PORT: '9000', GUARDRAIL_METRICS_PORT: '9000' },
      /^GUARDRAIL_METRICS_PORT must differ from GUARDRAIL_PORT: set another port, or off\.$/,
    ],
    [{ GUARDRAIL_PROXY_UPSTREAM: 'litellm:4000' }, /^GUARDRAIL_PROXY_UPSTREAM must be an http or https URL\.$/],
    [{ GUARDRAIL_PROXY_UPSTREAM: 'ftp://h' }, /^GUARDRAIL_PROXY_UPSTREAM must be an http or https URL\.$/],
    [
      { GUARDRAIL_PROXY_UPSTREAM: 'http://u:p@h' },
      /^GUARDRAIL_PROXY_UPSTREAM must not contain a user or a password\.$/,
    ],
    [
      { GUARDRAIL_PROXY_UPSTREAM: 'http://h/?a=b' },
      /^GUARDRAIL_PROXY_UPSTREAM must not contain a query or a fragment\.$/,
    ],
    [{ GUARDRAIL_PROXY_UPSTREAM: 'http://h/#' }, /^GUARDRAIL_PROXY_UPSTREAM must not contain a query or a fragment\.$/],
    [{ ...PROXIED, GUARDRAIL_PROXY_PORT: 'off' }, /^GUARDRAIL_PROXY_PORT must be a whole number from 0 to 65535\.$/],
    [{ ...PROXIED, GUARDRAIL_PROXY_UNKNOWN: 'allow' }, /^GUARDRAIL_PROXY_UNKNOWN must be block, generic, or pass\.$/],
    [{ ...PROXIED, GUARDRAIL_PROXY_END_USER: 'hash' }, /^GUARDRAIL_PROXY_END_USER must be keep or pseudonymize\.$/],
    [
      { ...PROXIED, GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x user' },
      /^GUARDRAIL_PROXY_IDENTITY_HEADERS must contain names of headers, such as x-user-id\.$/,
    ],
    [
      { ...PROXIED, GUARDRAIL_PROXY_IDENTITY_HEADERS: 'x-user,X-User' },
      /^GUARDRAIL_PROXY_IDENTITY_HEADERS must not contain the same entry twice\.$/,
    ],
    [
      { ...PROXIED, GUARDRAIL_PORT: '8081' },
      /^GUARDRAIL_PROXY_PORT must differ from GUARDRAIL_PORT: set another port\.$/,
    ],
    [
      { ...PROXIED, GUARDRAIL_PROXY_PORT: '9090' },
      /^GUARDRAIL_PROXY_PORT must differ from GUARDRAIL_METRICS_PORT: set another port\.$/,
    ],
    [
      { GUARDRAIL_PROXY_UNKNOWN: 'pass' },
      /^GUARDRAIL_PROXY_UNKNOWN has no effect without GUARDRAIL_PROXY_UPSTREAM: set both, or neither\.$/,
    ],
    [
      { GUARDRAIL_EXT_PROC_PORT: '8080' },
      /^GUARDRAIL_EXT_PROC_PORT must differ from GUARDRAIL_PORT: set another port\.$/,
    ],
    [
      { ...PROXIED, GUARDRAIL_EXT_PROC_PORT: '8081' },
      /^GUARDRAIL_EXT_PROC_PORT must differ from GUARDRAIL_PROXY_PORT: set another port\.$/,
    ],
    [
      { GUARDRAIL_EXT_PROC_PORT: '8082', GUARDRAIL_PROXY_PORT: '8083' },
      /^GUARDRAIL_PROXY_PORT has no effect without GUARDRAIL_PROXY_UPSTREAM: set both, or neither\.$/,
    ],
    [{ GUARDRAIL_MCP_UPSTREAM: 'ftp://h' }, /^GUARDRAIL_MCP_UPSTREAM must be an http or https URL\.$/],
    [
      { GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_SESSION_SCOPE: 'call' },
      /^GUARDRAIL_SESSION_SCOPE must not be call if GUARDRAIL_MCP_UPSTREAM is set: tools could restore no pseudonym of a model\.$/,
    ],
    [
      { GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_MCP_PORT: '8080' },
      /^GUARDRAIL_MCP_PORT must differ from GUARDRAIL_PORT: set another port\.$/,
    ],
    [
      { ...PROXIED, GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_MCP_PORT: '8081' },
      /^GUARDRAIL_MCP_PORT must differ from GUARDRAIL_PROXY_PORT: set another port\.$/,
    ],
    [
      { GUARDRAIL_MCP_RESTORE_TYPES: '*' },
      /^GUARDRAIL_MCP_RESTORE_TYPES has no effect without GUARDRAIL_MCP_UPSTREAM: set both, or neither\.$/,
    ],
    [
      { GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_MCP_RESTORE_TYPES: 'email' },
      /^GUARDRAIL_MCP_RESTORE_TYPES must contain types as in pseudonyms/,
    ],
    [
      { GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_MCP_ORIGINS: 'https://app.example.com/' },
      /^GUARDRAIL_MCP_ORIGINS must contain origins such as/,
    ],
    [
      { GUARDRAIL_MCP_UPSTREAM: 'http://h', GUARDRAIL_PROXY_UNKNOWN: 'pass' },
      /^GUARDRAIL_PROXY_UNKNOWN has no effect without GUARDRAIL_PROXY_UPSTREAM: set both, or neither\.$/,
    ],
    [{ GUARDRAIL_PORT: '-1' }, /^GUARDRAIL_PORT must be a whole number/],
    [{ GUARDRAIL_HOST: 'a b' }, /^GUARDRAIL_HOST must be an address/],
    [{ ...PROXIED, GUARDRAIL_PROXY_HOST: 'a b' }, /^GUARDRAIL_PROXY_HOST must be an address/],
    [{ GUARDRAIL_API_KEYS: 'litellm:short' }, /^GUARDRAIL_API_KEYS must contain keys of at least 8 /],
    [
      { GUARDRAIL_API_KEYS: 'one:sk-0123456789,two:sk-0123456789' },
      /^GUARDRAIL_API_KEYS must not contain the same key/,
    ],
    [{ GUARDRAIL_API_KEYS: 'a name:sk-0123456789' }, /^GUARDRAIL_API_KEYS must contain names/],
    [{ GUARDRAIL_API_KEYS: '' }, /^GUARDRAIL_API_KEYS or GUARDRAIL_API_KEYS_FILE must be set/],
    [
      { GUARDRAIL_ADMIN_KEYS: 'litellm,admin' },
      /^GUARDRAIL_ADMIN_KEYS must contain names from GUARDRAIL_API_KEYS, not the keys\.$/,
    ],
    [{ GUARDRAIL_ADMIN_KEYS: 'sk-0123456789' }, /^GUARDRAIL_ADMIN_KEYS must contain names(?!.*sk-0)/],
    [{ GUARDRAIL_RESTORE_KEYS: 'crm' }, /^GUARDRAIL_RESTORE_KEYS must contain entries such as name:TYPE/],
    [
      { GUARDRAIL_RESTORE_KEYS: 'nobody:*' },
      /^GUARDRAIL_RESTORE_KEYS must contain names from GUARDRAIL_API_KEYS, not the keys\.$/,
    ],
    [
      { GUARDRAIL_ADMIN_KEYS: 'litellm', GUARDRAIL_RESTORE_KEYS: 'litellm@inline:*' },
      /^GUARDRAIL_RESTORE_KEYS must not limit a name in GUARDRAIL_ADMIN_KEYS/,
    ],
    [
      { GUARDRAIL_RESTORE_RATE: '5' },
      /^GUARDRAIL_RESTORE_RATE has no effect without GUARDRAIL_RESTORE_KEYS: set both, or neither\.$/,
    ],
    [{ GUARDRAIL_ADMIN_KEYS: 'two words' }, /^GUARDRAIL_ADMIN_KEYS must contain names of API keys, not the keys\.$/],
    [{ GUARDRAIL_SESSION_KEY: 'short' }, /^GUARDRAIL_SESSION_KEY must have at least 32 characters/],
    [
      { GUARDRAIL_SESSION_KEY_FILE: '/does/not/exist' },
      /^GUARDRAIL_SESSION_KEY_FILE names \/does\/not\/exist, which cannot be read\.$/,
    ],
    [{ GUARDRAIL_PROXY_NAMES: 'Lite-LLM' }, /^GUARDRAIL_PROXY_NAMES must contain names of lower-case/],
    [{ GUARDRAIL_PROXY_NAMES: 'a,a' }, /^GUARDRAIL_PROXY_NAMES must not contain the same entry twice/],
    [{ GUARDRAIL_STORE: 'mysql://x' }, /^GUARDRAIL_STORE must have one of these forms/],
    [{ GUARDRAIL_MAPPING_TTL: '24' }, /^GUARDRAIL_MAPPING_TTL must be a duration/],
    [{ GUARDRAIL_MAPPING_TTL: '2000d' }, /^GUARDRAIL_MAPPING_TTL must be a duration/],
    [{ GUARDRAIL_MODE: 'Enforce' }, /^GUARDRAIL_MODE must be enforce or monitor\.$/],
    [{ GUARDRAIL_DETECTORS: 'presidio' }, /^GUARDRAIL_PRESIDIO_URL must be set/],
    [{ GUARDRAIL_PRESIDIO_URL: 'ftp://x' }, /^GUARDRAIL_PRESIDIO_URL must be an http or https URL\.$/],
    [{ GUARDRAIL_MAX_BODY: 'ten' }, /^GUARDRAIL_MAX_BODY must be a size/],
    [{ GUARDRAIL_WORKERS: '4' }, /^GUARDRAIL_WORKERS must be 1 if GUARDRAIL_STORE is memory/],
    [{ GUARDRAIL_INSECURE_NO_AUTH: 'yes' }, /^GUARDRAIL_INSECURE_NO_AUTH must be true or false\.$/],
    [{ GUARDRAIL_API_KEY: 'x' }, /^GUARDRAIL_API_KEY is not a setting: did you mean GUARDRAIL_API_KEYS\?$/],
    [
      { GUARDRAIL_SOMETHING_ELSE: 'x' },
      /^GUARDRAIL_SOMETHING_ELSE is not a setting: run the program with --help for a list\.$/,
    ],
    [{ ...REDIS, GUARDRAIL_ENCRYPTION_KEYS: 'abc' }, /^GUARDRAIL_ENCRYPTION_KEYS must contain keys of 32 bytes/],
    [
      { ...REDIS, GUARDRAIL_ENCRYPTION_KEYS: '' },
      /^GUARDRAIL_ENCRYPTION_KEYS or GUARDRAIL_ENCRYPTION_KEYS_FILE must be set if/,
    ],
    [{ ...REDIS, GUARDRAIL_SESSION_KEY: '' }, /^GUARDRAIL_SESSION_KEY or GUARDRAIL_SESSION_KEY_FILE must be set if/],
    [{ GUARDRAIL_CONFIG: '/does/not/exist' }, /^GUARDRAIL_CONFIG names \/does\/not\/exist, which cannot be read\.$/],
  ];
  for (const [env, problem] of WRONG) {
    it(`refuse ${JSON.stringify(env)}`, () => {
      const problems = problemsOf({ ...KEYS, ...env });
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(problem);
    });
  }

  it('report all problems at once, and repeat no value', () => {
    const problems = problemsOf({
      GUARDRAIL_PORT: 'secret-1',
      GUARDRAIL_MODE: 'secret-2',
      GUARDRAIL_STORE: 'redis://secret-3@',
    });
    expect(problems).to.have.length(4);
    expect(problems.join()).to.not.match(/secret/);
  });

  it('come from a file too, and the environment takes precedence', () => {
    const path = file(
      'all.yaml',
      'api_keys: [one:sk-0123456789, two:sk-9876543210]\nmapping_ttl: 1h\nport: 9000\nproxy_names:\n  - acme\n',
    );
    const config = readSettings({ GUARDRAIL_CONFIG: path, GUARDRAIL_PORT: '9001' });
    expect([config.PORT, config.MAPPING_TTL, config.PROXY_NAMES]).to.deep.equal([9001, 3_600_000, ['acme']]);
    expect(problemsOf({ ...KEYS, GUARDRAIL_CONFIG: file('typo.yaml', 'mapping_tll: 1h') })).to.deep.equal([
      `mapping_tll in ${join(folder, 'typo.yaml')} is not a setting: did you mean GUARDRAIL_MAPPING_TTL?`,
    ]);
    expect(problemsOf({ ...KEYS, GUARDRAIL_CONFIG: file('broken.yaml', 'a: [') })[0]).to.match(
      /not valid YAML at line 1, column 5 \(\w+\): correct it\.$/,
    );
    expect(problemsOf({ ...KEYS, GUARDRAIL_CONFIG: file('list.yaml', '- a') })[0]).to.match(
      /must be a mapping of names to values\.$/,
    );
  });

  it('refuse a secret that is set twice', () => {
    const path = file('keys', 'one:sk-0123456789');
    expect(problemsOf({ ...KEYS, GUARDRAIL_API_KEYS_FILE: path })[0]).to.match(/are both set: set only one\.$/);
  });

  it('accept the names of keys in a file as admin keys, and none without keys', () => {
    const keys = { GUARDRAIL_API_KEYS_FILE: file('named', 'one:sk-0123456789\ntwo:sk-9876543210') };
    expect(readSettings({ ...keys, GUARDRAIL_ADMIN_KEYS: 'two' }).ADMIN_KEYS).to.deep.equal(['two']);
    expect(problemsOf({ ...keys, GUARDRAIL_ADMIN_KEYS: 'three' })).to.have.length(1);
    const open = { GUARDRAIL_INSECURE_NO_AUTH: 'true', GUARDRAIL_ADMIN_KEYS: 'one' };
    expect(problemsOf(open)).to.have.length(1);
  });

  it('follow changes of a file of keys, and keep the last valid ones', async () => {
    const path = file('rotating', 'one:first-key-1');
    const config = readSettings({ GUARDRAIL_API_KEYS_FILE: path });
    const problems: Error[] = [];
    if (!config.API_KEYS) throw new Error('There are no keys.');
    const live = openSecret(config.API_KEYS, (problem) => problems.push(problem));
    expect(live.current.tenantOf('first-key-1')).to.equal('one');
    file('rotating', 'one:first-key-1\none:second-key\n');
    await eventually(() => live.current.tenantOf('second-key') === 'one');
    expect(live.current.tenantOf('first-key-1')).to.equal('one');
    file('rotating', 'one:x');
    await eventually(() => problems.length === 1);
    expect(live.current.tenantOf('second-key')).to.equal('one');
    live.close();
  });

  it('ignore the variables that Kubernetes sets for a Service named guardrail', () => {
    const links = {
      GUARDRAIL_PORT: 'tcp://10.0.0.1:8080',
      GUARDRAIL_SERVICE_HOST: '10.0.0.1',
      GUARDRAIL_SERVICE_PORT: '8080',
      GUARDRAIL_SERVICE_PORT_HTTP: '8080',
      GUARDRAIL_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      GUARDRAIL_PORT_8080_TCP_ADDR: '10.0.0.1',
      GUARDRAIL_MAIN_PORT: 'tcp://10.0.0.2:8080',
    };
    expect(readSettings({ ...KEYS, ...links }).PORT).to.equal(8080);
  });

  it('are all listed in the help', () => {
    const help = describeSettings();
    for (const name of Object.keys(readSettings(KEYS))) expect(help).to.include(`GUARDRAIL_${name}`);
  });

  const ADDRESSES: [text: string, expected: object][] = [
    ['redis://h', { topology: 'standalone', hosts: [{ host: 'h', port: 6379 }], db: 0, tls: undefined }],
    ['redis://:p%40ss@h:7000/3', { username: undefined, password: 'p@ss', hosts: [{ host: 'h', port: 7000 }], db: 3 }],
    ['redis://user:pass@[::1]:7000', { username: 'user', password: 'pass', hosts: [{ host: '::1', port: 7000 }] }],
    ['rediss://h?servername=redis.example', { tls: { servername: 'redis.example' } }],
    [
      'redis+cluster://a:1,b:2',
      {
        topology: 'cluster',
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
      },
    ],
    [
      'redis+sentinel://a,b:2/main/1?sentinel_password=x',
      {
        topology: 'sentinel',
        hosts: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 2 },
        ],
        master: 'main',
        db: 1,
        sentinelPassword: 'x',
      },
    ],
  ];
  for (const [text, expected] of ADDRESSES) {
    it(`read the address ${text}`, () => {
      const { STORE } = readSettings({ ...REDIS, GUARDRAIL_STORE: text });
      expect(STORE.kind === 'redis' && STORE.address).to.deep.include(expected);
    });
  }

  for (const text of [
    'redis://',
    'redis://a,b',
    'redis+sentinel://a',
    'redis+cluster://a/1',
    'redis://h/x',
    'redis://h:99999',
    'redis://h?x=1',
    'redis://u:%zz@h',
    'rediss://h?ca=/does/not/exist',
  ]) {
    it(`refuse the address ${text}`, () => {
      expect(problemsOf({ ...REDIS, GUARDRAIL_STORE: text })).to.have.length(1);
    });
  }
});
