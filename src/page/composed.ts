import { stringify } from 'yaml';
import { findReadSecrets } from '../compose/usage.ts';
import { connectionSecretName } from '../compose/workspace.ts';
import type { Considered } from '../decide.ts';
import type { DesiredObject, Settled } from '../decision.ts';
import type { Intent, WantedBucket } from '../intent/intent.ts';
import { deriveStateAddress } from '../intent/state-address.ts';
import { readPath, type KubeObject } from '../kube.ts';
import { CONDITION } from '../report/conditions.ts';
import { sayCondition } from './declared.ts';
import type { EdgeDraft, GraphPart, NodeDraft, NodeState, NodeText } from './graph.ts';
import { hideValues } from './hide-values.ts';
import { nodeKey } from './node-key.ts';

/** What is composed, and the Secrets that it reads and writes. Every composed object is a node. */
export function describeComposed({ intent }: Considered, decision: Settled): GraphPart {
  const objects = [...decision.resources].map(([key, desired]) => describeObject(key, desired, decision));
  const secrets = describeSecrets(intent, decision);
  return {
    nodes: [...secrets.nodes.filter(({ key }) => !objects.some(object => object.key === key)), ...objects]
      // What is known of a Secret beside its object stands on one node.
      .map(node => mergeReasons(node, secrets.nodes)),
    edges: [...secrets.edges, ...[...decision.resources.values()].flatMap(({ object }) => connectObject(object))],
  };
}

function mergeReasons(node: NodeDraft, secrets: readonly NodeDraft[]): NodeDraft {
  const known = secrets.find(({ key }) => key === node.key);
  return known === undefined || known === node ? node : { ...node, reasons: [...known.reasons, ...node.reasons] };
}

function keyOf({ kind, metadata }: KubeObject): string {
  return nodeKey.object(kind, metadata.name);
}

const COLUMN_OF_KIND: Readonly<Record<string, number>> = { Workspace: 2, Usage: 4 };

function describeObject(key: string, { object, ready }: DesiredObject, decision: Settled): NodeDraft {
  return {
    key: keyOf(object),
    column: COLUMN_OF_KIND[object.kind] ?? 3,
    kind: object.kind,
    name: object.metadata.name,
    state: describeReadiness(ready),
    reasons: [...explainObject(object, decision), `composed under the key ${key}`],
    texts: [...readTexts(object), { title: 'The object', text: stringify(hideValues(object), { lineWidth: 0 }) }],
  };
}

function describeReadiness(ready: boolean | undefined): NodeState | undefined {
  if (ready === undefined) return undefined;
  return ready ? { word: 'ready', tone: 'good' } : { word: 'not ready yet', tone: 'off' };
}

function explainObject(object: KubeObject, { conditions }: Settled): readonly string[] {
  switch (object.kind) {
    case 'Workspace':
      return conditions.filter(({ type }) => type === CONDITION.workspace).map(sayCondition);
    case 'ProviderConfig':
      return ['says where the state lies and how it is encrypted'];
    case 'Usage':
      return [explainUsage(object)];
    default:
      return [];
  }
}

function explainUsage(object: KubeObject): string {
  const [of, by] = [readReference(object, 'of'), readReference(object, 'by')];
  const replay = readPath(object, 'spec', 'replayDeletion') === true;
  return (
    `holds ${of.kind} ${of.name} until ${by.kind} ${by.name} is gone` +
    (replay ? '; a deletion that was refused is done then' : '')
  );
}

/** The HCL that an object carries. */
function readTexts(object: KubeObject): readonly NodeText[] {
  const module = readPath(object, 'spec', 'forProvider', 'module');
  const configuration = readPath(object, 'spec', 'configuration');
  return [
    ...(typeof module === 'string' ? [{ title: 'main.tf, the module', text: module }] : []),
    ...(typeof configuration === 'string' ? [{ title: 'provider.tf, the configuration', text: configuration }] : []),
  ];
}

function connectObject(object: KubeObject): readonly EdgeDraft[] {
  const key = keyOf(object);
  if (object.kind === 'Usage') {
    const { kind, name } = readReference(object, 'of');
    return [{ from: nodeKey.object(kind, name), to: key, label: 'held by' }];
  }
  if (object.kind !== 'Workspace') return [];
  const name = readPath(object, 'spec', 'providerConfigRef', 'name');
  return typeof name === 'string'
    ? [{ from: key, to: nodeKey.object('ProviderConfig', name), label: 'configured by' }]
    : [];
}

function readReference(usage: KubeObject, side: 'of' | 'by'): { readonly kind: string; readonly name: string } {
  const text = (...path: readonly string[]): string => {
    const value = readPath(usage, 'spec', side, ...path);
    return typeof value === 'string' ? value : '';
  };
  return { kind: text('kind'), name: text('resourceRef', 'name') };
}

function describeSecrets(intent: Intent, { resources }: Settled): GraphPart {
  const composed = Array.from(resources.values(), ({ object }) => object);
  const parts = composed.filter(({ kind }) => kind === 'Workspace').map(object => describeRead(object, composed));
  const wanted = intent.buckets.filter(bucket => bucket.state === 'Wanted');
  const credentials = wanted.map(bucket => describeCredentials(bucket, composed));
  const workspace = nodeKey.object('Workspace', intent.name);
  const outputs = connectionSecretName(intent.name);
  return {
    nodes: [
      ...parts.flatMap(({ nodes }) => nodes),
      {
        key: nodeKey.object('Secret', outputs),
        column: 3,
        kind: 'Secret',
        name: outputs,
        reasons: [
          "written by the provider: OpenTofu's outputs, the application keys among them",
          `the state itself lies at ${deriveStateAddress(intent.state)}`,
        ],
      },
      ...credentials,
    ],
    edges: [
      ...parts.flatMap(({ edges }) => edges),
      { from: workspace, to: nodeKey.object('Secret', outputs), label: 'writes' },
      ...wanted.map(({ name, secretName }) => ({
        from: workspace,
        to: nodeKey.object('Secret', secretName),
        label: `key of ${name}`,
      })),
    ],
  };
}

/** Secrets that OpenTofu's environment is made of, delivered by others. */
function describeRead(workspace: KubeObject, composed: readonly KubeObject[]): GraphPart {
  const names = [...findReadSecrets(workspace, ...composed.filter(({ kind }) => kind === 'ProviderConfig'))];
  return {
    nodes: names.map(name => ({
      key: nodeKey.object('Secret', name),
      column: 3,
      kind: 'Secret',
      name,
      reasons: ['delivered by others, read by every run of OpenTofu', ...readVariables(workspace, name)],
    })),
    edges: names.map(name => ({ from: keyOf(workspace), to: nodeKey.object('Secret', name), label: 'reads' })),
  };
}

function readVariables(workspace: KubeObject, secret: string): readonly string[] {
  const env = readPath(workspace, 'spec', 'forProvider', 'env');
  if (!Array.isArray(env)) return [];
  return env
    .filter(entry => readPath(entry, 'secretKeyRef', 'name') === secret)
    .map(entry => `${String(readPath(entry, 'name'))} is its key ${String(readPath(entry, 'secretKeyRef', 'key'))}`);
}

function describeCredentials(
  { name, schedules, secretName }: WantedBucket,
  composed: readonly KubeObject[],
): NodeDraft {
  const isComposed = composed.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName);
  return {
    key: nodeKey.object('Secret', secretName),
    column: 3,
    kind: 'Secret',
    name: secretName,
    state: isComposed ? undefined : { word: 'pending', tone: 'attention' },
    reasons: [
      `holds the application key of ${name}, for ${schedules.map(schedule => `Schedule ${schedule}`).join(', ')}`,
      ...(isComposed ? [] : ['waiting for OpenTofu to make the key']),
    ],
  };
}
