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
  const loaded = (pattern) => [...files].filter((url) => pattern.test(url));
  const classes = () => loaded(/client-node.*(models|apis)/).length;
`;

describe('the parts of client-node', function () {
  this.timeout(30_000);

  it('the operator starts without the classes of all kinds, and without packages that it does not use', () => {
    const load = "await import('../config.ts'); await import('../operator.ts');";
    // Packages for proxies, clouds, OpenID Connect and patterns, and translations.
    const unused = String.raw`/\/node_modules\/(async|gaxios|hpagent|jsonpath-plus|openid-client|re2js|socks)\/|locales\/de/`;
    const print = `console.log(JSON.stringify([classes(), loaded(${unused})]));`;
    expect(run(`${COUNT}${SLIM}${load}${print}`)).to.deep.equal([0, []]);
  });

  it('the document thread starts without them, and the commands start with the parts that remain', () => {
    const print = 'console.log(classes());';
    expect(run(`${COUNT}await import('../configuration/documentWorker.ts');${print}`)).to.equal(0);
    const load = "await import('../importCommand.ts'); await import('../kubectlCommand.ts');";
    expect(run(`${COUNT}${SLIM}${load}${print}`)).to.equal(0);
  });

  it('a KubeConfig gives credentials, agents of proxies and OpenID Connect as that of the whole package does', () => {
    const program = `
      const { KubeConfig, RequestContext, HttpMethod, PatchStrategy, CoreV1Api } = await import('@kubernetes/client-node');
      const loadedBefore = classes();
      const configOf = (cluster, user) => {
        const config = new KubeConfig();
        config.loadFromClusterAndUser({ name: 'c', server: 'https://api.example', ...cluster }, { name: 'u', ...user });
        return config;
      };
      const headersOf = async (config) => {
        const context = new RequestContext('https://api.example', HttpMethod.GET);
        await config.applySecurityAuthentication(context);
        return context.getHeaders();
      };
      const names = [];
      for (const proxyUrl of ['socks5://127.0.0.1:1', 'http://127.0.0.1:1']) {
        for (const server of ['https://api.example', 'http://api.example']) {
          const options = {};
          await configOf({ server, skipTLSVerify: true, proxyUrl }).applyToHTTPSOptions(options);
          names.push(options.agent.constructor.name);
        }
      }
      const expired = ['e30', Buffer.from('{"exp":9999999999}').toString('base64url'), 'x'].join('.');
      const authProvider = { name: 'oidc', config: { 'id-token': expired, 'idp-issuer-url': 'https://i', 'refresh-token': 'r', 'client-id': 'c' } };
      const oidc = await headersOf(configOf({ skipTLSVerify: true }, { authProvider }));
      const config = configOf({ skipTLSVerify: false, caData: 'Y2E=' }, { token: 'secret' });
      const tls = {};
      await config.applyToHTTPSOptions(tls);
      const { ca, headers } = tls;
      const client = config.makeApiClient(CoreV1Api) !== undefined;
      const given = [names, oidc, await headersOf(config), ca, headers, PatchStrategy, config.exportConfig(), client];
      console.log(JSON.stringify({ loadedBefore, given }));
    `;
    const ofParts = run(`${COUNT}${SLIM}${program}`) as { loadedBefore: number; given: unknown };
    const ofWhole = run(`${COUNT}${program}`) as { loadedBefore: number; given: unknown };
    expect(ofParts.given).to.deep.equal(ofWhole.given);
    // The entry of the whole package loads all classes.
    expect([ofParts.loadedBefore, ofWhole.loadedBefore > 500]).to.deep.equal([0, true]);
  });
});
