import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startHarness } from '../testing/appHarness.ts';
import {
  createAnalyzer,
  createBuiltinDetector,
  DetectorUnavailableError,
  type Analyzer,
} from '../detection/detection.ts';
import { warmUp } from './warmUp.ts';

const sessionKey = createSecretKey(Buffer.alloc(32, 1));
const customTypes = (): readonly string[] => [];

describe('warming up', () => {
  it('runs the detector on an example of each kind of recognizer', async () => {
    const found = new Set<string>();
    const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });
    const watched: Analyzer = {
      ...analyzer,
      async analyze(texts, context) {
        const findings = await analyzer.analyze(texts, context);
        for (const { type } of findings.flat()) found.add(type);
        return findings;
      },
    };
    await warmUp({ analyzer: watched, sessionKey, customTypes });
    for (const type of ['PERSON', 'ADDRESS', 'EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'IBAN_CODE', 'US_SSN']) {
      expect([...found]).to.include(type);
    }
  });

  it('does not prevent the start if the detector is down', async () => {
    const analyzer: Analyzer = {
      analyze: () => Promise.reject(new DetectorUnavailableError('It is down.')),
      state: () => Promise.resolve({ up: false, reason: 'It is down.', since: new Date() }),
      close: () => Promise.resolve(),
    };
    await warmUp({ analyzer, sessionKey, customTypes });
  });

  it('finishes before the service accepts calls', async () => {
    let requests = 0;
    const presidio = createServer((request, response) => {
      if (request.url === '/analyze') requests += 1;
      request.resume();
      response.end('[]');
    });
    presidio.listen(0, '127.0.0.1');
    await once(presidio, 'listening');
    const url = `http://127.0.0.1:${(presidio.address() as AddressInfo).port}`;
    const harness = await startHarness({
      env: { GUARDRAIL_DETECTORS: 'presidio', GUARDRAIL_PRESIDIO_URL: url },
    });
    const requestsAtStart = requests;
    await harness.stop();
    presidio.close();
    expect(requestsAtStart).to.be.greaterThan(0);
  });

  it('counts, stores and logs nothing', async () => {
    const harness = await startHarness();
    try {
      const metrics = await harness.metrics();
      expect(metrics).to.match(/^guardrail_sessions 0$/m);
      expect(metrics).to.not.match(/^guardrail_(requests|entities)_total\{/m);
      expect(metrics).to.not.match(/^guardrail_(detection|store_operation)_duration_seconds_count.* [1-9]/m);
      expect(harness.logs.join('')).to.not.include('warm-up');
    } finally {
      await harness.stop();
    }
  });
});
