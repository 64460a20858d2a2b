import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTILE_NAMES } from '../../test/fixtures/hostile-names.ts';
import { observe, route, schedule, scheduleWith, ZONE } from '../../test/fixtures/objects.ts';
import { EXAMPLES, listExamples } from '../../test/golden/examples.ts';
import { decideCase, findCaseFiles } from '../cli/case.ts';
import { consider, decide, parse } from '../decide.ts';
import type { Settled } from '../decision.ts';
import type { Observation } from '../observation.ts';
import { deriveGraph } from './derive-graph.ts';
import type { Graph, GraphNode } from './graph.ts';
import { BOX, layOut } from './layout.ts';
import { printMermaid } from './mermaid.ts';

function explain(observation: Observation): { readonly graph: Graph; readonly decision: Settled } | undefined {
  const decision = decide(observation);
  if (decision.kind !== 'settled') return undefined;
  return { graph: deriveGraph(consider(observation, parse(observation)), decision), decision };
}

function graphOf(observation: Observation): Graph {
  const explained = explain(observation);
  if (explained === undefined) throw new Error('expected a settled decision');
  return explained.graph;
}

function find({ nodes }: Graph, kind: string, name: string): GraphNode {
  const found = nodes.find(node => node.kind === kind && node.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${nodes.map(node => node.name).join(', ')}`);
  return found;
}

function example(name: string): Observation {
  return decideCase(findCaseFiles(join(EXAMPLES, name), {})).observation;
}

const SETTLED = listExamples().flatMap(name => {
  const explained = explain(example(name));
  return explained === undefined ? [] : [{ name, ...explained }];
});

describe.each(SETTLED)('the graph of examples/$name', ({ graph, decision }) => {
  it('has a node for every composed object, and the graph runs from cause to effect', () => {
    for (const { object } of decision.resources.values())
      expect(find(graph, object.kind, object.metadata.name).texts.at(-1)?.text).toContain(`kind: ${object.kind}`);
    const columns = new Map(graph.nodes.map(({ id, column }) => [id, column]));
    for (const { from, to } of graph.edges) expect(columns.get(from)).toBeLessThan(columns.get(to) ?? -1);
  });

  it('is laid out without one box on another', () => {
    const { places, width, height } = layOut(graph);
    const boxes = [...places.values()];
    expect(boxes).toHaveLength(graph.nodes.length);
    for (const [index, a] of boxes.entries()) {
      expect(a.x + BOX.width).toBeLessThanOrEqual(width);
      expect(a.y + BOX.height).toBeLessThanOrEqual(height);
      for (const b of boxes.slice(index + 1))
        expect(Math.abs(a.x - b.x) >= BOX.width || Math.abs(a.y - b.y) >= BOX.height).toBe(true);
    }
  });
});

describe('a graph', () => {
  const graph = graphOf(
    observe({
      schedules: [
        schedule('nightly', 'Paperless-1'),
        scheduleWith('elsewhere', { backend: { rest: { url: 'https://x' } } }),
      ],
      routes: [route('web', [`a.${ZONE}`, 'shop.example.com', `*.${ZONE}`]), route('odd', 5)],
    }),
  );

  it('says what led to what', () => {
    const led = graph.edges.map(({ from, to, label }) => {
      const name = (id: string): string => graph.nodes.find(node => node.id === id)?.name ?? '';
      return `${name(from)} ${label} ${name(to)}`;
    });
    expect(led).toEqual(
      expect.arrayContaining([
        'nightly backs up to Paperless-1',
        `web names a.${ZONE}`,
        'Paperless-1 stands in workspace',
        'workspace key of Paperless-1 paperless-1-b2',
        'workspace reads tofu-encryption',
        'tofu-encryption held by workspace-secret-tofu-encryption',
        'workspace configured by workspace',
      ]),
    );
    expect(led.filter(line => line.startsWith('elsewhere'))).toEqual([]);
  });

  it('says what was ignored, and why', () => {
    expect(find(graph, 'Schedule', 'elsewhere')).toMatchObject({
      state: { word: 'ignored', tone: 'off' },
      reasons: ['ignored: spec.backend.rest is not Backblaze B2'],
    });
    expect(find(graph, 'Host name', 'shop.example.com')).toMatchObject({
      state: { tone: 'off' },
      reasons: ['shop.example.com is ignored: in none of the zones'],
    });
    expect(find(graph, 'Host name', `*.${ZONE}`).state?.tone).toBe('attention');
    expect(find(graph, 'HTTPRoute', 'cannot be read').reasons[0]).toContain('spec.hostnames: expected a list');
  });

  it('says where the module names a bucket', () => {
    const [text] = find(graph, 'Bucket', 'Paperless-1').texts;
    expect(text?.title).toBe('b2_bucket.backup["paperless-1"]: where main.tf names it');
    expect(text?.text).toMatch(/^ *\d+ {6}"paperless-1" = "Paperless-1"$/m);
  });

  it('says which Secret is not there yet, and which Schedule reads another', () => {
    expect(find(graph, 'Secret', 'paperless-1-b2').state).toEqual({ word: 'pending', tone: 'attention' });
    const s3 = { endpoint: 'https://s3.eu-central-003.backblazeb2.com', bucket: 'paperless-1' };
    const other = graphOf(observe({ schedules: [scheduleWith('nightly', { backend: { s3 } })] }));
    expect(find(other, 'Schedule', 'nightly').state).toEqual({ word: 'reads another Secret', tone: 'attention' });
  });

  it('says what becomes of a bucket that no Schedule wants', () => {
    const retained = find(graphOf(example('retained-bucket')), 'Bucket', 'paperless-backup-1234');
    expect(retained).toMatchObject({ state: { word: 'Retained', tone: 'attention' } });
    expect(retained.reasons).toContain('prevent_destroy is on: no plan can destroy it');
  });
});

describe('printMermaid', () => {
  it('prints columns, nodes and edges', () => {
    const lines = printMermaid(graphOf(observe({ schedules: [schedule('nightly', 'paperless-1')] }))).split('\n');
    expect(lines.slice(0, 8)).toEqual([
      'flowchart LR',
      '  subgraph c0["Declared"]',
      '    n0["TofuWorkspace, look here<br/>workspace"]',
      '    n1["Schedule<br/>nightly"]',
      '  end',
      '  subgraph c1["Wanted"]',
      '    n2["Bucket, Wanted<br/>paperless-1"]',
      '  end',
    ]);
    expect(lines).toContain('  n1 -->|"backs up to"| n2');
  });

  it('lets no name be more than a label', () => {
    const names = Object.values(HOSTILE_NAMES);
    const text = printMermaid(
      graphOf(
        observe({
          schedules: names.map(name => scheduleWith(name, { backend: { rest: { url: name } } })),
          routes: [route('web', names)],
        }),
      ),
    );
    const label = '"(?:[A-Za-z0-9 .,/_-]|#[0-9]+;|<br/>)*"';
    const line = new RegExp(
      `^(?:flowchart LR| {2}subgraph c\\d\\[${label}\\]| {4}n\\d+\\[${label}\\]| {2}end| {2}n\\d+ -->\\|${label}\\| n\\d+| {2}classDef .*| {2}class [n0-9,]+ (?:off|attention)|)$`,
    );
    expect(text.split('\n').filter(printed => !line.test(printed))).toEqual([]);
  });
});
