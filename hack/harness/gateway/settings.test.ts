import { expect } from 'chai';
import { readSettings } from './settings.ts';

const KEY = { DEV_GATEWAY_MASTER_KEY: 'sk-x' };

describe("the development gateway's settings", () => {
  it('come from flags, except the key', () => {
    expect(readSettings(['--port', '2', '--guardrail-file', '/g', '--state-file=/s'], KEY)).to.deep.equal({
      port: 2,
      masterKey: 'sk-x',
      proxyName: 'gateway',
      guardrail: { file: '/g' },
      stateFile: '/s',
    });
    expect(readSettings(['--help'], {})).to.equal('help');
    expect(readSettings(['--host', '0.0.0.0'], KEY)).to.include({ host: '0.0.0.0' });
  });

  const bad: readonly (readonly [what: string, args: string[], environment: Record<string, string>, says: RegExp])[] = [
    ['an unknown flag', ['--prot', '1'], KEY, /^Unknown option '--prot'\. To list the flags, use --help\.$/],
    ['a port that is not a number', ['--port', 'x'], KEY, /^--port must be .*"x"\.$/],
    ['a port out of range', ['--port', '70000'], KEY, /^--port must be/],
    ['a configuration that does not exist', ['--config-file', '/none'], KEY, /^The file of --config-file .*ENOENT/],
    ['no master key', [], {}, /^Set DEV_GATEWAY_MASTER_KEY/],
    ['a proxy name with a dash', ['--proxy-name', 'my-proxy'], KEY, /^--proxy-name must consist of/],
  ];
  for (const [what, args, environment, says] of bad) {
    it(`are rejected: ${what}`, () => {
      expect(() => readSettings(args, environment)).to.throw(says);
    });
  }
});
