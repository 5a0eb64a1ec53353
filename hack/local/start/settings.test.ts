import { expect } from 'chai';
import { readSettings, SettingsError } from './settings.ts';

describe('the settings of npm start', () => {
  const none = { gatewayPort: 4000, apiPort: undefined, reset: false, gateway: undefined };
  const key = 'sk-1';
  for (const [args, env, expected] of [
    [[], {}, none],
    [['--gateway-port', '0'], {}, { ...none, gatewayPort: 0 }],
    [
      ['--gateway-port=5001', '--api-port=6443', '--reset'],
      {},
      { ...none, gatewayPort: 5001, apiPort: 6443, reset: true },
    ],
    [['--help', '--reset'], {}, 'help'],
    [[], { GATEWAY_URL: '', GATEWAY_MASTER_KEY: '' }, none],
    [
      [],
      { GATEWAY_URL: 'https://gateway.example.com/base/', GATEWAY_MASTER_KEY: key },
      { ...none, gateway: { url: 'https://gateway.example.com/base', masterKey: key } },
    ],
  ] as const) {
    it(`${args.join(' ') || 'no flag'}, ${JSON.stringify(env)}`, () => {
      expect(readSettings(args, env)).to.deep.equal(expected);
    });
  }

  for (const [args, env, message] of [
    [['--nope'], {}, "Unknown option '--nope'. To list the flags, run npm start -- --help."],
    [['extra'], {}, "Unexpected argument 'extra'. To list the flags, run npm start -- --help."],
    [
      ['--gateway-port'],
      {},
      "Option '--gateway-port <value>' argument missing. To list the flags, run npm start -- --help.",
    ],
    [['--gateway-port=70000'], {}, '--gateway-port must be an integer from 0 to 65535, but is "70000".'],
    [['--api-port=x'], {}, '--api-port must be an integer from 0 to 65535, but is "x".'],
    [[], { GATEWAY_URL: 'http://x' }, 'GATEWAY_URL is set without GATEWAY_MASTER_KEY. Set both, or neither.'],
    [[], { GATEWAY_MASTER_KEY: key }, 'GATEWAY_MASTER_KEY is set without GATEWAY_URL. Set both, or neither.'],
    [
      [],
      { GATEWAY_URL: 'http://user:secret@x', GATEWAY_MASTER_KEY: key },
      'GATEWAY_URL must be an http or https address without credentials, query or fragment, such as http://127.0.0.1:4000.',
    ],
  ] as const) {
    it(`${args.join(' ') || 'no flag'}, ${JSON.stringify(env)}: rejected`, () => {
      expect(() => readSettings(args, env))
        .to.throw(SettingsError)
        .with.property('message', message);
    });
  }
});
