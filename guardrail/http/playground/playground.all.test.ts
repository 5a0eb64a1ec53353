import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import sharp from 'sharp';
import { draw, note } from '../../images/testing/drawings.ts';
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

  it('shows what the profile leaves alone, and why', async () => {
    const text = `Anna Schmidt of Contoso Ltd in Berlin, ${PLANTED.email}`;
    await check(text);
    const left = page.locator('#found mark.leave');
    expect(await left.allInnerTexts()).to.deep.equal([
      'Contoso LtdORGANIZATION left alone in personal',
      'BerlinLOCATION left alone in personal',
    ]);
    expect(await textOf('summary')).to.include('2 more would be replaced in confidential.');
    expect(await textOf('sent')).to.match(/ of Contoso Ltd in Berlin, <EMAIL_ADDRESS_/);
    await page.getByLabel('Profile').selectOption('confidential');
    await check(text);
    await page.locator('#sent', { hasText: '<LOCATION_' }).waitFor();
    expect(await left.count()).to.equal(0);
    expect(await textOf('sent')).to.match(/ of <ORGANIZATION_\w+> in <LOCATION_\w+>, <EMAIL_ADDRESS_/);
    expect(consoleMessages).to.deep.equal([]);
  });

  it('says why a value was found, and why a selected word was not', async () => {
    await check('Phone: 5551234567. Siemens pays Lisbon, green.');
    await page.getByRole('button', { name: 'Why 5551234567?' }).click();
    expect(await textOf('reason')).to.match(
      /^“5551234567” is hidden as PHONE_NUMBER, score 0\.\d\d, by the rule phone\.label\.\s+It would not be found like this without “Phone”\.\s+To leave it, change the policy: allow: \[\{ value: "5551234567" \}\]\s+Or, to leave it, change the policy: entities: \{ PHONE_NUMBER: \{ action: ignore \} \}$/,
    );
    await screenshot('why');
    await page.getByRole('button', { name: 'Why Lisbon?' }).click();
    expect(await textOf('reason')).to.match(
      /^“Lisbon” is not hidden as LOCATION, .*: the profile of the policy leaves this type\./,
    );
    expect(await textOf('reason')).to.include('entities: { LOCATION: { action: pseudonymize } }');
    const whyNot = page.getByRole('button', { name: 'Why not the selected word?' });
    await whyNot.click();
    expect(await textOf('reason')).to.equal('Select a word of the text above first.');
    await selectText('green');
    await whyNot.click();
    expect(await textOf('reason')).to.match(/^No rule takes “green” for a value\.\s+.*deny: \["green"\]$/);
    await screenshot('why-not');
    expect(consoleMessages).to.deep.equal([]);
  });

  it('tries the draft of a policy and a team, and says what is wrong with a draft', async () => {
    const text = 'The weather in Lisbon is fine.';
    await page.getByText('Try a policy').click();
    await page.getByLabel('Draft of a policy').fill('teams: { sales: { deny: [weather] } }');
    await page.getByLabel('Team').fill('sales');
    await check(text);
    expect(await textOf('sent')).to.match(/^The <ENTITY_\w+> in Lisbon is fine\.$/);
    await page.getByRole('button', { name: 'Why weather?' }).click();
    expect(await textOf('reason')).to.match(
      /by the rule deny-list:DENIED\.\s+To leave it, change the policy: # Remove "weather" from deny\./,
    );
    await screenshot('draft');
    await page.getByLabel('Draft of a policy').fill('deny: 7');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('#problem', { hasText: 'policy: ' }).waitFor();
  });

  /** Selects the first place of a word in what was found, as a double click does. */
  const selectText = (word: string): Promise<void> =>
    page.evaluate(`(() => {
      const walker = document.createTreeWalker(document.getElementById('found'), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const start = node.textContent.indexOf(${JSON.stringify(word)});
        if (start >= 0) getSelection().setBaseAndExtent(node, start, node, start + ${word.length});
      }
    })()`);

  it('plays a response as a stream, and shows what the service holds back', async () => {
    const wanted = `Mail ${PLANTED.email}.`;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await check(wanted);
    await page.getByRole('button', { name: 'Copy what the model receives' }).click();
    const response = await page.getByLabel("The model's response").inputValue();
    await page.getByRole('button', { name: 'Play as a stream' }).click();
    const next = page.getByRole('button', { name: 'Next piece' });
    // It does not move by itself where the user prefers less motion.
    expect(await textOf('progress')).to.match(/^Piece 0 of \d+$/);
    const pieces = Math.ceil(response.length / 4);
    const held: string[] = [];
    for (let piece = 1; piece <= pieces; piece += 1) {
      await next.click();
      await page.getByText(`Piece ${piece} of ${pieces}`, { exact: true }).first().waitFor();
      const mark = page.locator('#restored mark.held');
      const tail = (await mark.count()) === 0 ? '' : ((await mark.textContent()) ?? '').replace(/held back$/, '');
      const shown = (await page.locator('#restored').textContent()) ?? '';
      const sent = tail === '' ? shown : shown.slice(0, shown.length - `${tail}held back`.length);
      expect(wanted.startsWith(sent), sent).to.equal(true);
      held.push(tail);
      if (tail.startsWith('<EMAIL_') && held.filter((one) => one.startsWith('<EMAIL_')).length === 1) {
        await screenshot('stream');
      }
    }
    expect(held.some((tail) => tail.startsWith('<EMAIL_'))).to.equal(true);
    expect(held.at(-1)).to.equal('');
    expect(await textOf('restored')).to.equal(wanted);
    expect(await next.getAttribute('aria-disabled')).to.equal('true');
    expect(consoleMessages).to.deep.equal([]);
  });

  it('does not show that a response failed which is no longer played', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await check();
    await page.getByRole('button', { name: 'Copy what the model receives' }).click();
    const stream = page.getByRole('button', { name: 'Play as a stream' });
    await stream.click();
    const late = Promise.withResolvers<undefined>();
    const path = '**/beta/**';
    const failed = page.waitForResponse(path);
    await page.route(
      path,
      async (route) => {
        await late.promise;
        await route.fulfill({ status: 502, json: { error: { message: 'The store did not respond.' } } });
      },
      { times: 1 },
    );
    const called = page.waitForRequest(path);
    await page.getByRole('button', { name: 'Next piece' }).click();
    await called;
    await stream.click();
    late.resolve(undefined);
    await failed;
    // The page has processed the failure when it plays again: until then, it ignores the button.
    await eventually(async () => {
      if (!(await textOf('progress')).startsWith('Piece 0 ')) return true;
      await page.getByRole('button', { name: 'Next piece' }).click();
      return false;
    });
    expect(await page.locator('#restore-problem').isVisible()).to.equal(false);
  });

  it('plays by itself, pauses, and plays again at another speed', async () => {
    await check();
    await page.getByRole('button', { name: 'Copy what the model receives' }).click();
    // Slow enough that the test pauses it before its end.
    await page.evaluate("document.getElementById('speed').value = '1'");
    await page.getByRole('button', { name: 'Play as a stream' }).click();
    await page
      .getByText(/^Piece [1-9]\d* of/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.getByLabel('Speed').fill('20');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Play again' }).waitFor();
    expect(await textOf('restored')).to.equal(TEXT);
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
      const guarded = page.waitForResponse('**/playground/pseudonymize');
      await page.route('**/playground/detect', async (route) => {
        if (order === 'after') await guarded;
        await route.fulfill({ status: 502, json: error });
        detected.resolve(undefined);
      });
      await page.route('**/playground/pseudonymize', async (route) => {
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

  describe('with a picture', function () {
    this.timeout(90_000);
    let file: Buffer;
    before(async () => {
      file = await draw(note(`Please write to ${PLANTED.email} today`))
        .flatten({ background: '#fff' })
        .png()
        .toBuffer();
    });
    /** Lets the user drop or paste the picture. */
    const give = (event: 'drop' | 'paste'): Promise<unknown> =>
      page.evaluate(`(() => {
        const bytes = Uint8Array.from(atob(${JSON.stringify(file.toString('base64'))}), (sign) => sign.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], 'a.png', { type: 'image/png' }));
        document.getElementById('drop').dispatchEvent(${
          event === 'drop'
            ? "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
            : "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })"
        });
      })()`);
    const pixelsOf = async (id: string): Promise<Buffer> => {
      const source = (await page.locator(`#${id}`).getAttribute('src')) ?? '';
      return sharp(Buffer.from(source.split(',')[1] ?? '', 'base64'))
        .removeAlpha()
        .raw()
        .toBuffer();
    };

    it('shows what the model receives, and why each area is painted over', async () => {
      await page.locator('#file').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: file });
      await page.getByRole('heading', { name: "The user's picture" }).waitFor();
      expect(await textOf('masks')).to.match(/^\s*EMAIL_ADDRESS \S+\s*$/);
      expect(await textOf('picture-verdict')).to.equal('1 area is painted over.');
      const [before, after] = [await pixelsOf('before'), await pixelsOf('after')];
      expect(after.length).to.equal(before.length);
      expect(after.equals(before)).to.equal(false);
      await page.locator('#masks button').focus();
      expect(await page.locator('#outlines .marked').count()).to.equal(1);
      await screenshot('picture');
      expect(consoleMessages).to.deep.equal([]);
    });

    for (const event of ['drop', 'paste'] as const) {
      it(`takes a picture by ${event}`, async () => {
        await give(event);
        await page.getByText('1 area is painted over.', { exact: true }).waitFor();
        expect(consoleMessages).to.deep.equal([]);
      });
    }

    it('reports what is wrong with a file, and shows no result of the one before', async () => {
      await give('drop');
      await page.getByText('1 area is painted over.', { exact: true }).waitFor();
      const buffer = file.subarray(0, file.length - 20);
      await page.locator('#file').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
      await page.locator('#picture-problem, #picture-verdict', { hasText: 'damaged or incomplete' }).waitFor();
      expect(await page.locator('#after').isVisible()).to.equal(false);
      expect(await page.locator('#masks li').count()).to.equal(0);
    });
  });

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
    expect(await focused()).to.equal('profile');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('draft');
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
        await check(
          `${text} ${PLANTED.iban} for Contoso Ltd in Berlin, born on 3 May 1985 at 192.0.2.1, password: hunter2-secret`,
        );
        await page.getByRole('button', { name: 'Copy what the model receives' }).click();
        await page.getByRole('button', { name: 'Restore' }).click();
        await page.getByRole('heading', { name: 'What the user receives' }).waitFor();
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.getByRole('button', { name: 'Play as a stream' }).click();
        for (const piece of [1, 2, 3, 4]) {
          await page.getByRole('button', { name: 'Next piece' }).click();
          await page.getByText(`Piece ${piece} of`).first().waitFor();
        }
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
