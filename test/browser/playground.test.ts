import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { HOSTILE_NAMES } from '../fixtures/hostile-names.ts';
import { EXAMPLES, listExamples } from '../golden/examples.ts';
import { launchChromium, openFile, type OpenPage } from './chromium.ts';

const PLAYGROUND = join(import.meta.dirname, '../../build/playground/index.html');

let browser: Browser;
let open: OpenPage;
beforeAll(async () => {
  if (!existsSync(PLAYGROUND)) throw new Error(`${PLAYGROUND} is not built: make playground`);
  browser = await launchChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  open = await openFile(browser, PLAYGROUND);
});
afterEach(async () => {
  const { requests, complaints } = open;
  await open.close();
  expect({ requests, complaints }).toEqual({ requests: [], complaints: [] });
});

function editor(file: string): Locator {
  return open.page.locator(`textarea[id="${file}"]`);
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await editor(file).fill(change(await editor(file).inputValue()));
}

function report(): Locator {
  return open.page.locator('#report');
}

async function expectVerdict(says: RegExp): Promise<void> {
  await expect.poll(() => open.page.locator('#verdict').textContent(), { timeout: 30_000 }).toMatch(says);
}

describe('the decision', () => {
  it('is the one of the goldens, for every example', async () => {
    const names = await open.page.locator('#example option').allTextContents();
    expect(names).toEqual(listExamples());
    // There Crossplane has not answered yet; the playground always plays it to the end.
    for (const name of names.filter(candidate => candidate !== 'waiting')) {
      await open.page.locator('#example').selectOption(name);
      expect({ name, ...(await readOutcome()) }).toEqual({ name, ...readExpected(name) });
    }
  });

  async function readOutcome(): Promise<Readonly<Record<string, string>>> {
    const fatal = report().locator('.refused pre');
    if ((await fatal.count()) > 0) return { fatal: `${(await fatal.textContent()) ?? ''}\n` };
    const [module = '', configuration = ''] = await report().locator(':scope > details code').allTextContents();
    return { module, configuration };
  }

  function readExpected(name: string): Readonly<Record<string, string>> {
    const expected = (file: string): string => join(EXAMPLES, name, 'expected', file);
    const read = (file: string): string => readFileSync(expected(file), 'utf8');
    if (existsSync(expected('fatal.txt'))) return { fatal: read('fatal.txt') };
    return { module: read('main.tf'), configuration: read('provider.tf') };
  }
});

describe('an edit', () => {
  it('changes what is shown, and keeps what was chosen', async () => {
    await expectVerdict(/^Settled: 7 objects, 0 warnings\.$/);
    await report().getByRole('link', { name: 'DNS record paperless.int.kueber.eu' }).click();
    const shown = report().locator('section.details:visible');
    expect(await shown.innerText()).toContain('record A 100.64.0.10 ttl 300');
    await open.page.getByText('Composition, with the Input of the function').click();
    await edit('composition.yaml', text => text.replace('100.64.0.10', '100.64.0.99'));
    await edit('required.yaml', text => text.replaceAll('paperless-backup-1234', 'another-backup-5678'));
    await report().locator('a.node', { hasText: 'another-backup-5678' }).first().waitFor();
    await expect.poll(() => shown.innerText(), { timeout: 30_000 }).toContain('record A 100.64.0.99 ttl 300');
    expect(await shown.count()).toBe(1);
    expect(await report().locator(':scope > details code').first().textContent()).toContain(
      '"another-backup-5678" = "another-backup-5678"',
    );
  });

  it('that is no YAML says where, and the next one mends it', async () => {
    await edit('required.yaml', text => text.replace('kind: Schedule', 'kind: [Schedule'));
    await expectVerdict(/^Cannot read required\.yaml\.$/);
    expect(await report().locator('.unreadable').innerText()).toMatch(/required\.yaml: .* at line \d+, column \d+/);
    expect(await editor('required.yaml').getAttribute('aria-invalid')).toBe('true');
    expect(await editor('xr.yaml').getAttribute('aria-invalid')).toBe('false');
    await edit('required.yaml', text => text.replace('kind: [Schedule', 'kind: Schedule'));
    await expectVerdict(/^Settled/);
    expect(await editor('required.yaml').getAttribute('aria-invalid')).toBe('false');
  });

  it('that the function refuses says why', async () => {
    await edit('xr.yaml', text => text.replace('name: workspace', 'name: other'));
    await expectVerdict(/^Refused/);
    expect(await report().locator('.refused').innerText()).toContain(
      'cannot read TofuWorkspace paperless/other: metadata.name: expected "workspace"',
    );
    expect(await report().locator('a.node').count()).toBe(0);
  });

  it('that brings hostile names shows them as text', async () => {
    const names = Object.values(HOSTILE_NAMES).filter(name => !/\ud800/.test(name));
    const schedules = names.map(name => ({
      apiVersion: 'k8up.io/v1',
      kind: 'Schedule',
      metadata: { name, namespace: 'paperless', labels: { 'crossplane-workspace': 'true' } },
      spec: { backend: { rest: { url: name } } },
    }));
    await editor('required.yaml').fill(schedules.map(schedule => `---\n${stringify(schedule)}`).join(''));
    await expect
      .poll(() => report().locator('a.node', { hasText: 'Schedule' }).count(), { timeout: 30_000 })
      .toBe(names.length);
    expect(await report().locator('script, img, style, [onfocus], [onload], [onerror]').count()).toBe(0);
    expect(await report().locator('a:not([href^="#"])').count()).toBe(0);
    expect(await open.page.evaluate('window.pwned')).toBeUndefined();
    expect(await report().innerHTML()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000]/);
  });
});

describe('the keyboard', () => {
  it('reaches the example, the texts, the boxes and their details', async () => {
    await open.page.keyboard.press('Tab');
    expect(await open.page.evaluate('document.activeElement.id')).toBe('example');
    const reached = new Set<unknown>();
    for (let step = 0; step < 12; step += 1) {
      await open.page.keyboard.press('Tab');
      reached.add(await open.page.evaluate('document.activeElement.id'));
    }
    expect([...reached]).toEqual(expect.arrayContaining(['xr.yaml', 'required.yaml', 'box-n0', 'box-n1']));
    await open.page.locator('#box-n1').focus();
    await open.page.keyboard.press('Enter');
    expect(await report().locator('section.details:visible').getAttribute('id')).toBe('n1');
  });
});
