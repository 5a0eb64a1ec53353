import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, loadConfig, type OperatorConfig } from './config.ts';

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: k, user: u, namespace: from-context } }]
clusters: [{ name: k, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { token: t } }]
`;

describe("the operator's settings", () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const before = { ...process.env };

  beforeEach(() => {
    writeFileSync(kubeconfig, KUBECONFIG);
    process.env.KUBECONFIG = kubeconfig;
  });
  afterEach(() => {
    process.env = { ...before };
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function load(args: readonly string[] = [], env: Record<string, string> = {}): OperatorConfig {
    const config = loadConfig(args, env);
    if ('help' in config) throw new Error('Expected settings, received the help.');
    return config;
  }

  function problems(args: readonly string[], env: Record<string, string> = {}): string[] {
    try {
      loadConfig(args, env);
    } catch (error) {
      if (error instanceof ConfigError) return error.message.split('\n');
      throw error;
    }
    return [];
  }

  it('have defaults', () => {
    const { kubeConfig, ...rest } = load();
    expect(kubeConfig.getCurrentCluster()?.server).to.equal('https://127.0.0.1:1');
    expect(rest).to.deep.equal({
      namespace: 'from-context',
      clusterDomain: 'cluster.local',
      watchNamespaces: [],
      leaderElect: true,
      http: { host: '0.0.0.0', port: 8080, metricsPort: 9090 },
      installCrds: true,
      workers: 32,
      drainMs: 20_000,
      guardrailImage: undefined,
      ownPod: undefined,
      logLevel: 'info',
    });
  });

  const given: [string, readonly string[], Record<string, string>, Partial<OperatorConfig>][] = [
    ['a flag with =', ['--workers=3'], {}, { workers: 3 }],
    ['a flag with a separate value', ['--watch-namespaces', 'a,b,a'], {}, { watchNamespaces: ['a', 'b'] }],
    ['a switch', ['--leader-elect'], { OPERATOR_LEADER_ELECT: 'false' }, { leaderElect: true }],
    ['a switch set to false', ['--install-crds=false'], {}, { installCrds: false }],
    ['a variable', [], { OPERATOR_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    ['a flag before a variable', ['--namespace=flag'], { OPERATOR_NAMESPACE: 'variable' }, { namespace: 'flag' }],
    ['an empty variable', [], { OPERATOR_WATCH_NAMESPACES: '' }, { watchNamespaces: [] }],
    ['an image', [], { OPERATOR_GUARDRAIL_IMAGE: 'i:1' }, { guardrailImage: 'i:1' }],
    [
      'its own pod',
      ['--namespace=ours'],
      { OPERATOR_POD_NAME: 'operator-0' },
      { ownPod: { namespace: 'ours', name: 'operator-0' } },
    ],
  ];
  for (const [name, args, env, expected] of given) {
    it(`are read from ${name}`, () => {
      expect(load(args, env)).to.deep.include(expected);
    });
  }

  const wrong: [string, readonly string[], Record<string, string>, string][] = [
    ['an unknown flag', ['--wokers=3'], {}, '--wokers=3 is an unknown flag: see --help.'],
    ['a stray word', ['start'], {}, 'start is an unknown flag: see --help.'],
    ['a flag without a value', ['--workers'], {}, '--workers needs a value: --workers=NUMBER.'],
    ['a number out of range', ['--http-port=70000'], {}, '--http-port must be a whole number from 0 to 65535.'],
    ['no number', [], { OPERATOR_WORKERS: 'many' }, 'OPERATOR_WORKERS must be a whole number from 1 to 256.'],
    ['neither true nor false', ['--leader-elect=no'], {}, '--leader-elect must be true or false.'],
    [
      'no namespace',
      ['--watch-namespaces=a,B'],
      {},
      '--watch-namespaces contains "B", which is not a valid namespace name.',
    ],
    ['no level', ['--log-level=loud'], {}, '--log-level must be one of trace, debug, info, warn, error, fatal.'],
  ];
  for (const [name, args, env, sentence] of wrong) {
    it(`are rejected with one sentence: ${name}`, () => {
      expect(problems(args, env)).to.deep.equal([sentence]);
    });
  }

  it('name the file with the token of the metrics, which must have one', () => {
    const file = join(folder, 'token');
    expect(problems([`--metrics-token-file=${file}`])).to.deep.equal([
      `--metrics-token-file names ${file}, which cannot be read.`,
    ]);
    writeFileSync(file, 'short');
    expect(problems([], { OPERATOR_METRICS_TOKEN_FILE: file })).to.deep.equal([
      'OPERATOR_METRICS_TOKEN_FILE must contain a token of at least 16 visible ASCII characters.',
    ]);
    writeFileSync(file, 'a-token-of-prometheus\n');
    expect(load([`--metrics-token-file=${file}`]).http).to.include({ metricsTokenFile: file });
  });

  it('report all problems at once', () => {
    process.env.KUBECONFIG = join(folder, 'nowhere');
    const all = problems(['--workers=0', '--log-level=loud', '--what'], { OPERATOR_HTTP_PORT: 'x' });
    expect(all).to.have.length(5);
    expect(all.at(-1)).to.match(/^The kubeconfig .*nowhere cannot be read: ENOENT/);
  });

  it('explain what to configure if there is no cluster', () => {
    delete process.env.KUBECONFIG;
    process.env.HOME = folder;
    expect(problems([])).to.deep.equal([
      'No cluster is configured. Set KUBECONFIG to a kubeconfig file with a current context, or run the operator in a pod with a ServiceAccount.',
    ]);
    writeFileSync(kubeconfig, KUBECONFIG.replace('current-context: c\n', ''));
    process.env.KUBECONFIG = kubeconfig;
    expect(problems([])[0]).to.match(/^No cluster is configured/);
  });

  it('are all listed by --help, also with other arguments', () => {
    const config = loadConfig(['--help', '--nonsense'], {});
    const { help } = config as { help: string };
    for (const flag of [
      'namespace',
      'watch-namespaces',
      'leader-elect',
      'http-port',
      'metrics-port',
      'metrics-token-file',
      'guardrail-image',
      'drain-timeout',
    ]) {
      expect(help).to.include(`--${flag}=`);
      expect(help).to.include(`(OPERATOR_${flag.toUpperCase().replaceAll('-', '_')})`);
    }
  });
});
