import { type DevGateway, startDevGateway } from '../../../hack/harness/gateway/gateway.ts';
import { callTests } from './calls.ts';

describe('the calls of a sync with a gateway that behaves as LiteLLM does', function () {
  this.timeout(30_000);
  const masterKey = 'sk-master';
  let gateway: DevGateway;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
  });
  after(() => gateway.stop());

  callTests(() => ({ url: gateway.url, masterKey }));
});
