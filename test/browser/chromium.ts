/** The real Chromium without a network, and everything that a page tried against its policy or asked of the world. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';

const CANDIDATES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function launchChromium(): Promise<Browser> {
  const executablePath = CANDIDATES.find(path => path !== undefined && existsSync(path));
  if (executablePath === undefined)
    throw new Error('Chromium is not installed (Debian: apt-get install chromium); CHROMIUM names one elsewhere');
  return chromium.launch({
    executablePath,
    args: [
      // Its sandbox refuses root; a host name that is asked for nevertheless is nowhere.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--disable-background-networking',
    ],
  });
}

export interface OpenPage {
  readonly page: Page;
  /** Requests beside the page itself, those that its policy stopped among them. */
  readonly requests: readonly string[];
  /** Those that its policy let through. They end here. */
  readonly sent: readonly string[];
  /** Errors, dialogs, and what the policy refused. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a file as a user opens it from a disk. Every other request is refused, and recorded. */
export async function openFile(
  browser: Browser,
  file: string,
  options: { readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, ...options });
  const url = pathToFileURL(file).href;
  const requests: string[] = [];
  const sent: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', async route => {
    if (route.request().url() === url) return route.continue();
    sent.push(route.request().url());
    return route.abort();
  });
  context.on('request', request => {
    if (request.url() !== url) requests.push(request.url());
  });
  const page = await context.newPage();
  page.on('pageerror', error => complaints.push(`error: ${error.message}`));
  page.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(url);
  return { page, requests, sent, complaints, close: () => context.close() };
}
