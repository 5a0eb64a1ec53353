import { startDevGateway, type DevGateway } from '../../../hack/harness/gateway/gateway.ts';
import { convergenceTests } from './convergence.ts';

describe('sync with a gateway that behaves as LiteLLM does', function () {
  this.timeout(120_000);
  const masterKey = 'sk-master';
  let gateway: DevGateway;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
  });
  after(() => gateway.stop());

  convergenceTests(() => ({ url: gateway.url, masterKey }), 60);
});
