import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { eventually, KEY, PLANTED, startHarness, type Harness } from '../../testing/appHarness.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];
/** A folder for screenshots of the page. */
const SCREENSHOTS = process.env.PLAYGROUND_SCREENSHOTS;
const TEXT = `Please write to ${PLANTED.email} about ${PLANTED.iban}.`;

describe('the playground in a browser', function () {
  this.timeout(90_000);
  let profile: string;
  let browser: BrowserContext;
  let harness: Harness;
  let page: Page;
  /** Console messages of the browser: violations of the content security policy, errors, failed resources. */
  const consoleMessages: string[] = [];
  const requests: string[] = [];

  before(async () => {
    if (!existsSync(BROWSER)) {
      throw new Error(
        `${BROWSER} does not exist: install the package chromium, or set CHROMIUM to the path of a Chromium.`,
      );
    }
    profile = mkdtempSync(join(tmpdir(), 'chromium-'));
    // What a user enters when the browser asks.
    const httpCredentials = { username: 'me', password: KEY };
    browser = await chromium.launchPersistentContext(profile, { executablePath: BROWSER, args: ARGS, httpCredentials });
    harness = await startHarness({ env: { GUARDRAIL_PLAYGROUND: 'true' } });
  });
  after(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
    await harness.stop();
  });
  beforeEach(async () => {
    consoleMessages.length = 0;
    requests.length = 0;
    page = await browser.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) consoleMessages.push(message.text());
    });
    page.on('pageerror', (error) => consoleMessages.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${harness.url}/playground`);
  });
  afterEach(async () => {
    await page.close();
  });

  async function check(text = TEXT): Promise<void> {
    await page.getByLabel('Your text').fill(text);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: 'What the model receives' }).waitFor();
  }
  const textOf = (id: string): Promise<string> => page.locator(`#${id}`).innerText();
  async function screenshot(name: string): Promise<void> {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
  }

  it('shows the entities and what the model receives, and restores its response', async () => {
    await screenshot('empty');
    await check();
    const marks = page.locator('#found mark');
    expect(await marks.allInnerTexts()).to.have.length(2);
    expect(await marks.first().innerText()).to.match(new RegExp(`^${PLANTED.email}\\s*EMAIL_ADDRESS [01]\\.\\d\\d$`));
    expect(await textOf('legend')).to.match(/EMAIL_ADDRESS × 1 · replaced/);
    const sent = await textOf('sent');
    expect(sent).to.match(/^Please write to <EMAIL_ADDRESS_\w+> about <IBAN_CODE_\w+>\.$/);
    await page.getByLabel("The model's response").fill(`Done: ${sent.toLowerCase()}`);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'What the user receives' }).waitFor();
    expect(await textOf('restored')).to.equal(`Done: please write to ${PLANTED.email} about ${PLANTED.iban}.`);
    await screenshot('light');
    expect(consoleMessages).to.deep.equal([]);
  });

  it('sends requests only to the service, and does not expose the key', async () => {
    await check();
    expect(requests.length).to.be.greaterThan(2);
    for (const url of requests) {
      expect(url.startsWith(harness.url) || url === 'data:,', url).to.equal(true);
      expect(url).to.not.include(KEY);
    }
    const stored = await page.evaluate<unknown[]>(
      '[{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML]',
    );
    expect(JSON.stringify(stored)).to.not.include(KEY);
  });

  it('erases mappings when the next check starts and when the page closes', async () => {
    await check();
    const sessions = async (): Promise<string> =>
      /^guardrail_sessions (\d+)$/m.exec(await harness.metrics())?.[1] ?? 'none';
    await check('Mail bob@example.com');
    await page.locator('#sent', { hasText: 'Mail <EMAIL' }).waitFor();
    expect(await sessions()).to.equal('1');
    await page.goto('about:blank');
    await eventually(async () => (await sessions()) === '0');
  });

  for (const order of ['before', 'after'] as const) {
    it(`erases mappings if detection fails ${order} the guardrail call`, async () => {
      const detected = Promise.withResolvers<unknown>();
      const error = { error: { code: 'detector_unavailable', message: 'The detector did not respond.' } };
      const guarded = page.waitForResponse('**/beta/*');
      await page.route('**/playground/detect', async (route) => {
        if (order === 'after') await guarded;
        await route.fulfill({ status: 502, json: error });
        detected.resolve(undefined);
      });
      await page.route('**/beta/*', async (route) => {
        if (order === 'before') await detected.promise;
        await route.continue();
      });
      await page.getByLabel('Your text').fill(TEXT);
      await page.getByRole('button', { name: 'Check' }).click();
      const answer = await guarded;
      expect(await answer.json()).to.have.property('action', 'GUARDRAIL_INTERVENED');
      const session = `/sessions/${answer.headers()['x-session-id'] ?? ''}`;
      await page.getByText('The detector did not respond.').waitFor();
      await eventually(async () => (await harness.call('GET', session)).status === 404);
      expect(await page.locator('#result').isVisible()).to.equal(false);
    });
  }

  it('reports a missing text, and moves the focus to its field', async () => {
    await page.getByLabel('Your text').fill(' ');
    await page.getByRole('button', { name: 'Check' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).to.match(/^Enter a text/);
    expect(await page.evaluate('document.activeElement.id')).to.equal('text');
    expect(await page.locator('#result').isVisible()).to.equal(false);
    await screenshot('problem');
  });

  it('explains what to do if the key is no longer valid', async () => {
    const error = { error: { code: 'unauthorized', message: 'Send a valid key.' } };
    await page.route('**/playground/detect', (route) => route.fulfill({ status: 401, json: error }));
    await page.getByLabel('Your text').fill(TEXT);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('reload the page and sign in again').waitFor();
    expect(await page.locator('#result').isVisible()).to.equal(false);
  });

  it('refuses a browser with a wrong key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    const stranger = await chromium.launchPersistentContext(folder, {
      executablePath: BROWSER,
      args: ARGS,
      httpCredentials: { username: 'me', password: 'not-the-key' },
    });
    try {
      const [opened = await stranger.newPage()] = stranger.pages();
      const answer = await opened.goto(`${harness.url}/playground`);
      expect(answer?.status()).to.equal(401);
      expect(await opened.locator('body').innerText()).to.include('a valid API key as the password');
    } finally {
      await stranger.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('does not move the focus if no field is wrong, whatever the message is', async () => {
    const message = 'An API key is not to blame.';
    await page.route('**/playground/detect', (route) => route.fulfill({ status: 500, json: { error: { message } } }));
    await page.getByLabel('Your text').fill(TEXT);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(message).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Check');
  });

  it('reports that nothing was found, and shows markup as text', async () => {
    const markup = '<img src=x onerror="alert(1)"><b>Hello</b>';
    await check(markup);
    expect(await textOf('summary')).to.match(/^No personal data/);
    expect(await textOf('found')).to.equal(markup);
    expect(await textOf('verdict')).to.equal('The unchanged text.');
    expect(consoleMessages).to.deep.equal([]);
    await screenshot('nothing');
  });

  it('shows why the policy refuses a request', async () => {
    const policy = 'entities: { EMAIL_ADDRESS: { action: block } }';
    const strict = await startHarness({ env: { GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_POLICY: policy } });
    try {
      await page.goto(`${strict.url}/playground`);
      await check();
      expect(await textOf('legend')).to.match(/EMAIL_ADDRESS × 1 · request refused/);
      expect(await textOf('sent')).to.match(/^Your request was blocked because it contains e-mail addresses/);
      expect(await page.locator('#restore').isVisible()).to.equal(false);
      await screenshot('refused');
    } finally {
      await strict.stop();
    }
  });

  it('is usable with the keyboard only', async () => {
    const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('recall');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('example');
    await page.keyboard.press('Enter');
    expect(await focused()).to.equal('text');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'What the model receives' }).waitFor();
    expect(await textOf('sent')).to.include('<PERSON_');
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`passes the accessibility checks of axe, wide and narrow: ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.getByRole('button', { name: 'Insert an example' }).click();
      const text = await page.getByLabel('Your text').inputValue();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await check(`${text} ${PLANTED.iban} born on 3 May 1985 at 192.0.2.1, password: hunter2-secret`);
        await page.getByRole('button', { name: 'Copy what the model receives' }).click();
        await page.getByRole('button', { name: 'Restore' }).click();
        await page.getByRole('heading', { name: 'What the user receives' }).waitFor();
        await screenshot(`${scheme}-${width}`);
        const scroll = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(scroll, 'scrolls sideways').to.be.at.most(0);
        // Through the debugger, because the policy of the page blocks other scripts.
        await page.evaluate(AXE);
        const results = await page.evaluate<AxeResults>('axe.run()');
        expect(
          results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
        ).to.deep.equal([]);
      }
    });
  }
});
