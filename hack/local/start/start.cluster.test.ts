import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { temporaryFolder } from '../../harness/processes.ts';
import { Progress } from '../../harness/progress.ts';
import { SettingsError } from './settings.ts';
import { start } from './start.ts';

describe('npm start', () => {
  let taken: Server;
  let port: number;
  before(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    ({ port } = taken.address() as AddressInfo);
  });
  after(() => taken.close());

  for (const [what, flag, setting] of [
    ['development gateway', '--gateway-port', 'gatewayPort'],
    ['API server', '--api-port', 'apiPort'],
  ] as const) {
    it(`refuses a port of the ${what} that is in use`, async () => {
      const folder = temporaryFolder('npm-start-');
      const settings = { gatewayPort: 0, apiPort: undefined, reset: false, gateway: undefined, [setting]: port };
      const options = { settings, progress: new Progress(), root: folder, home: folder };
      const error = await start(options).catch((reason: unknown) => reason);
      expect(error)
        .to.be.instanceOf(SettingsError)
        .with.property(
          'message',
          `Port ${port} of 127.0.0.1 is in use. End the program that uses it, or choose another port for the ${what} ` +
            `with npm start -- ${flag} PORT.`,
        );
    });
  }
});
