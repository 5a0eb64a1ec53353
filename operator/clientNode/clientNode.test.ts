import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

/** Runs a program on a thread and with hooks of its own. @returns what it prints, as JSON */
function run(program: string): unknown {
  const args = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }));
}

const SLIM = "await import('./clientNode.ts');";
const COUNT = `
  import { registerHooks } from 'node:module';
  const files = new Set();
  registerHooks({ resolve(...args) { const found = args[2](args[0], args[1]); files.add(found.url); return found; } });
`;
const PRINT = 'console.log(JSON.stringify([...files].filter((url) => /client-node.*(models|apis)/.test(url)).length));';

describe('the parts of client-node', function () {
  this.timeout(30_000);

  it('the operator starts without the classes of all kinds', () => {
    const load = "await import('../config.ts'); await import('../operator.ts');";
    expect(run(`${COUNT}${SLIM}${load}${PRINT}`)).to.equal(0);
    // The framework loads them if nothing stands in.
    expect(run(`${COUNT}await import('@dot-i/k8s-operator');${PRINT}`)).to.be.above(500);
  });

  it('the document thread starts without them, and the commands start with the parts that remain', () => {
    expect(run(`${COUNT}await import('../configuration/documentWorker.ts');${PRINT}`)).to.equal(0);
    const load = "await import('../importCommand.ts'); await import('../kubectlCommand.ts');";
    expect(run(`${COUNT}${SLIM}${load}${PRINT}`)).to.equal(0);
  });

  it('the operator starts without packages for proxies, clouds, OpenID Connect and patterns, and without translations', () => {
    const load = "await import('../config.ts'); await import('../operator.ts');";
    const pattern = String.raw`/\/node_modules\/(async|gaxios|hpagent|jsonpath-plus|openid-client|re2js|socks)\/|locales\/de/`;
    const print = `console.log(JSON.stringify([...files].filter((url) => ${pattern}.test(url))));`;
    expect(run(`${COUNT}${SLIM}${load}${print}`)).to.deep.equal([]);
  });

  it('a KubeConfig creates the agents of proxies, and authenticates with OpenID Connect', () => {
    const program = `
      const { KubeConfig, RequestContext, HttpMethod } = await import('@kubernetes/client-node');
      const names = [];
      for (const proxyUrl of ['socks5://127.0.0.1:1', 'http://127.0.0.1:1']) {
        for (const server of ['https://api.example', 'http://api.example']) {
          const config = new KubeConfig();
          config.loadFromClusterAndUser({ name: 'c', server, skipTLSVerify: true, proxyUrl }, { name: 'u' });
          const options = {};
          await config.applyToHTTPSOptions(options);
          names.push(options.agent.constructor.name);
        }
      }
      const expired = ['e30', Buffer.from('{"exp":9999999999}').toString('base64url'), 'x'].join('.');
      const authProvider = { name: 'oidc', config: { 'id-token': expired, 'idp-issuer-url': 'https://i', 'refresh-token': 'r', 'client-id': 'c' } };
      const config = new KubeConfig();
      config.loadFromClusterAndUser({ name: 'c', server: 'https://api.example', skipTLSVerify: true }, { name: 'u', authProvider });
      const context = new RequestContext('https://api.example', HttpMethod.GET);
      await config.applySecurityAuthentication(context);
      console.log(JSON.stringify([names, context.getHeaders()]));
    `;
    expect(run(`${SLIM}${program}`)).to.deep.equal(run(program));
  });

  it('a KubeConfig reads a kubeconfig and gives its credentials, as that of the whole package does', () => {
    const program = `
      const { KubeConfig, RequestContext, HttpMethod, PatchStrategy, CoreV1Api } = await import('@kubernetes/client-node');
      const config = new KubeConfig();
      config.loadFromClusterAndUser(
        { name: 'c', server: 'https://api.example', skipTLSVerify: false, caData: 'Y2E=' },
        { name: 'u', token: 'secret' },
      );
      const context = new RequestContext('https://api.example', HttpMethod.GET);
      await config.applySecurityAuthentication(context);
      const tls = {};
      await config.applyToHTTPSOptions(tls);
      const client = config.makeApiClient(CoreV1Api) !== undefined;
      const { ca, headers } = tls;
      console.log(JSON.stringify([context.getHeaders(), ca, headers, PatchStrategy, config.exportConfig(), client]));
    `;
    expect(run(`${SLIM}${program}`)).to.deep.equal(run(program));
  });
});
