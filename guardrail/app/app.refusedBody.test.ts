import { Agent, request } from 'node:http';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { KEY, startHarness } from '../testing/appHarness.ts';
describe('refused bodies', () => {
  it('leave their connection usable for the next call', async () => {
    const harness = await startHarness();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: Buffer): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const call = request(
          `${harness.url}/beta/litellm_basic_guardrail_api`,
          {
            method: 'POST',
            agent,
            headers: {
              'x-api-key': KEY,
              'content-type': 'application/json',
              'content-encoding': 'deflate',
              'content-length': body.length,
            },
          },
          (response) => {
            response.resume().on('end', () => {
              resolve(response.statusCode);
            });
          },
        );
        call.on('error', reject);
        call.end(body);
      });
    // More compressed bytes than the buffers hold, so that some are unread when the response is sent.
    const bomb = deflateSync(Buffer.alloc(200 * 1024 * 1024));
    const fine = deflateSync('{"input_type":"request","texts":["x"]}');
    try {
      for (let n = 0; n < 5; n += 1) {
        expect(await send(bomb)).to.equal(413);
        expect(await send(fine)).to.equal(200);
      }
    } finally {
      agent.destroy();
      await harness.stop();
    }
  });
});
