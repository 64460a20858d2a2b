import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideCase, findCaseFiles } from '../../src/cli/case.ts';
import { consider, decide, parse } from '../../src/decide.ts';
import type { Observation } from '../../src/observation.ts';
import { deriveGraph } from '../../src/page/derive-graph.ts';
import type { Graph } from '../../src/page/graph.ts';
import { spellOut } from '../../src/page/markup.ts';
import { printPage } from '../../src/page/page.ts';
import { HOSTILE_NAMES } from '../fixtures/hostile-names.ts';
import { observe, route, scheduleWith, schedule } from '../fixtures/objects.ts';
import { EXAMPLES } from '../golden/examples.ts';
import { launchChromium, openFile, type OpenPage } from './chromium.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tofuworkspace-page-'));
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  rmSync(scratch, { recursive: true });
});

function write(name: string, observation: Observation): { readonly file: string; readonly graph: Graph } {
  const decision = decide(observation);
  if (decision.kind !== 'settled') throw new Error(`expected settled: ${JSON.stringify(decision.conditions)}`);
  const considered = consider(observation, parse(observation));
  const graph = deriveGraph(considered, decision);
  const file = join(scratch, `${name}.html`);
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
  writeFileSync(file, printPage(considered.intent, graph, decision, sha256));
  return { file, graph };
}

async function withPage(file: string, use: (open: OpenPage) => Promise<void>): Promise<void> {
  const open = await openFile(browser, file);
  try {
    await use(open);
    expect({ requests: open.requests, complaints: open.complaints }).toEqual({ requests: [], complaints: [] });
  } finally {
    await open.close();
  }
}

/** Presses Tab until the keyboard is there, as a reader without a pointer would. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'));
  for (let step = 0; step < 20 && (await focused.count()) === 0; step += 1) await page.keyboard.press('Tab');
  expect(await focused.count()).toBe(1);
}

describe('the page of explain --html', () => {
  const { observation } = decideCase(findCaseFiles(join(EXAMPLES, 'retained-bucket'), {}));
  const { file, graph } = write('retained-bucket', observation);

  it('draws every node, and shows details of none until one is chosen', async () => {
    await withPage(file, async ({ page }) => {
      expect(await page.locator('a.node').count()).toBe(graph.nodes.length);
      expect(await page.locator('section.details:visible').count()).toBe(0);
      expect(await page.title()).toBe('TofuWorkspace paperless/workspace');
    });
  });

  it('shows reasons and HCL of the box that is clicked, and of no other', async () => {
    await withPage(file, async ({ page }) => {
      await page.getByRole('link', { name: 'Bucket paperless-backup-1234, Retained' }).click();
      const shown = page.locator('section.details:visible');
      expect(await shown.count()).toBe(1);
      expect(await shown.innerText()).toContain('Retained: kept, protected, without a key');
      expect(await shown.locator('pre').first().innerText()).toContain(
        '"paperless-backup-1234" = "paperless-backup-1234"',
      );
      await page.locator('a.node', { hasText: 'Workspace · ready' }).click();
      expect(await shown.count()).toBe(1);
      expect(await shown.innerText()).toContain('WorkspaceApplied is True (Applied)');
      expect(await shown.locator('pre').first().innerText()).toMatch(/^# function-tofu-workspace layout 1/);
    });
  });

  it('is walked by keyboard: Tab to a box, Enter to its details, and back', async () => {
    await withPage(file, async ({ page }) => {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      expect(await page.locator('a.node:focus').getAttribute('href')).toBe('#n1');
      await page.keyboard.press('Enter');
      expect(await page.locator('section.details:visible').getAttribute('id')).toBe('n1');
      const back = page.locator('section.details:visible').getByRole('link', { name: 'Back to the graph' });
      await tabTo(page, back);
      await page.keyboard.press('Enter');
      expect(await page.locator('section.details:visible').count()).toBe(0);
      expect(await page.locator('a.node:focus').getAttribute('href')).toBe('#n1');
    });
  });

  it('follows light and dark', async () => {
    const grounds = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, close } = await openFile(browser, file, { colorScheme });
      grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      await close();
    }
    expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
  });

  it('forbids what it does not need: scripts, handlers, requests', async () => {
    const { page, sent, complaints, close } = await openFile(browser, file);
    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      const image = document.createElement('img');
      image.setAttribute('onerror', 'window.pwned = 1');
      image.src = 'https://evil.example/x';
      document.body.append(script, image);
      fetch('https://evil.example/y').catch(() => undefined);
    `);
    await expect.poll(() => complaints.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(sent).toEqual([]);
    await close();
  });
});

describe('hostile names', () => {
  const names = Object.entries(HOSTILE_NAMES);
  const { file, graph } = write(
    'hostile',
    observe({
      schedules: names.flatMap(([what, name]) => [
        scheduleWith(name, { backend: { rest: { url: name } } }),
        schedule(`of-${what}-${name}`, `bucket-${what.toLowerCase()}`),
      ]),
      routes: names.map(([what, name]) => route(`of-${what}-${name}`, [name, `${name}.int.example.test`])),
    }),
  );

  it('are shown as they are, and are nothing but text', async () => {
    await withPage(file, async ({ page }) => {
      expect(await page.locator('script, img, style:not(head > style), [onfocus], [onload], [onerror]').count()).toBe(
        0,
      );
      expect(await page.locator('a:not([href^="#"])').count()).toBe(0);
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(await page.locator('section.details h3 bdi').allTextContents()).toEqual(
        graph.nodes.map(({ name }) => spellOut(name)),
      );
      for (const [, name] of names) expect(graph.nodes.map(node => node.name)).toContain(name);
    });
  });

  it('never leave their box, nor turn what stands around them', async () => {
    await withPage(file, async ({ page }) => {
      // What is drawn is what lies within the inner svg: it clips.
      const overflows = `[...new Set(Array.from(document.querySelectorAll('a.node > svg'), box => getComputedStyle(box).overflow))]`;
      expect(await page.evaluate(overflows)).toEqual(['hidden']);
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      expect(await page.content()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000]/);
    });
  });
});
