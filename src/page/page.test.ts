import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { applied, observe, schedule, settle } from '../../test/fixtures/objects.ts';
import { consider, parse } from '../decide.ts';
import { deriveGraph } from './derive-graph.ts';
import { printMermaid } from './mermaid.ts';
import { printPage } from './page.ts';
import { STYLE } from './style.ts';

const MARKER = 'S3CR3T-MARKER';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** A namespace that is set up: its credentials Secret goes through the decision, with values. */
function setUp() {
  const scene = { schedules: [schedule('nightly', 'paperless-1')] };
  const outputs = { buckets: { 'paperless-1': 'id-1' }, records: {} };
  const keys = { 'paperless-1': { id: `${MARKER}-id`, secret: `${MARKER}-secret` } };
  const observation = observe({ ...scene, observed: applied(settle(scene), { outputs, keys }) });
  const decision = settle(observation);
  const graph = deriveGraph(consider(observation, parse(observation)), decision);
  return { decision, graph, page: printPage({ namespace: 'demo-a', name: 'workspace' }, graph, decision, sha256) };
}

describe('printPage', () => {
  it('holds no value of a Secret, in whatever spelling', () => {
    const { decision, graph, page } = setUp();
    const composed = JSON.stringify([...decision.resources.values()]);
    // Else there would be nothing to hide.
    expect(composed).toContain(btoa(`${MARKER}-secret`));
    for (const text of [page, printMermaid(graph), JSON.stringify(graph)])
      for (const value of [MARKER, btoa(`${MARKER}-secret`), btoa(`${MARKER}-id`)]) expect(text).not.toContain(value);
    expect(page).toContain('ACCESS_KEY_ID: &lt;hidden&gt;');
  });

  it('allows its own style and nothing else', () => {
    const { page } = setUp();
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const [, style] = /<style>([^]*)<\/style>/.exec(page) ?? [];
    expect(policy?.replaceAll('&#39;', "'")).toBe(
      `default-src 'none'; style-src 'sha256-${sha256(style ?? '')}'; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/<script|<link|<img|\sstyle=|\son[a-z]+=|url\(|@import/);
  });

  it('is the same for the same case', () => {
    expect(setUp().page).toBe(setUp().page);
  });
});

describe('the style', () => {
  const [light = {}, dark = {}] = Array.from(STYLE.matchAll(/--text:[^}]*/g), ([block]) =>
    Object.fromEntries(
      Array.from(block.matchAll(/--([a-z]+): (#[0-9a-f]{6})/g), ([, name = '', colour = '']): [string, string] => [
        name,
        colour,
      ]),
    ),
  );

  it.each([
    { scheme: 'light', colours: light },
    { scheme: 'dark', colours: dark },
  ])('is legible in $scheme: contrast of 4.5 at least (WCAG 2.2, 1.4.3)', ({ colours }) => {
    for (const text of ['text', 'soft', 'accent', 'good', 'attention', 'off'])
      for (const ground of ['ground', 'raised'])
        expect(contrast(colours[text] ?? '', colours[ground] ?? ''), `${text} on ${ground}`).toBeGreaterThanOrEqual(
          4.5,
        );
  });
});

function contrast(a: string, b: string): number {
  const [brighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((first, second) => second - first);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
