import { expect } from 'chai';
import { startPresidio, type PresidioServer } from '../../hack/harness/presidio.ts';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';
import { DetectorUnavailableError, type Detector } from './contract.ts';
import { compilePolicy } from './policy/policy.ts';
import { createPresidioDetector } from './presidio.ts';

describe('Presidio detector with a real server', function () {
  this.timeout(600_000);
  let server: PresidioServer;
  let detector: Detector;
  const signal = new AbortController().signal;

  before(async () => {
    server = await startPresidio((line) => process.stderr.write(`${line}\n`));
    detector = createPresidioDetector({ url: server.url, timeoutMs: 60_000 });
  });
  after(async () => {
    await detector.close();
    await server.close();
  });

  it('is ready', async () => {
    expect(await detector.state()).to.deep.equal({ up: true });
  });

  it('finds values in a batch of texts, also after emoji and empty texts', async () => {
    const texts = ['😀😀 My name is Anna Schmidt.', '', 'Mail 👩‍👩‍👧 anna@example.com please', 'plain words only'];
    const found = await detector.detect(texts, { signal });
    const shown = found.map((spans, index) =>
      spans.map(({ start, end, type }) => `${texts[index]?.slice(start, end) ?? ''}|${type}`),
    );
    expect(shown).to.deep.equal([['Anna Schmidt|PERSON'], [], ['anna@example.com|EMAIL_ADDRESS'], []]);
  });

  it('drops results below the threshold, such as bank numbers', async () => {
    const [spans = []] = await detector.detect(['number 12345678901'], { signal });
    expect(spans.filter(({ type }) => type === 'US_BANK_NUMBER')).to.deep.equal([]);
  });

  it('answers consecutive calls, although the server closes each connection', async () => {
    for (let call = 0; call < 20; call++) await detector.detect([`Call ${call} of Anna Schmidt`], { signal });
  });

  it('throws DetectorUnavailableError for an unknown language', async () => {
    const german = createPresidioDetector({ url: server.url, timeoutMs: 60_000, languages: ['xx'] });
    const outcome = await german.detect(['Hallo'], { signal }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(DetectorUnavailableError);
    await german.close();
  });

  it('covers more together with the built-in detector than either of them alone', async () => {
    const text =
      'Anna Schmidt, Hauptstraße 12, 10115 Berlin, wrote to Bob Miller at the White House on behalf of Contoso.';
    const covered = async (detectors: readonly Detector[]): Promise<number> => {
      const [findings = []] = await createAnalyzer({
        detectors,
        policy: { current: compilePolicy({}, 'confidential') },
      }).analyze([text], { team: undefined, signal });
      return findings.reduce((sum, { start, end }) => sum + end - start, 0);
    };
    const builtin = createBuiltinDetector();
    const both = await covered([builtin, detector]);
    expect(both).to.be.at.least(await covered([builtin]));
    expect(both).to.be.at.least(await covered([detector]));
  });
});
