import { stringify } from 'yaml';
import type { Decision, Settled, Waiting } from '../decision.ts';
import { readPath, type KubeObject } from '../kube.ts';

export type RenderPart = 'all' | 'module' | 'provider-config';

/** What a decision composes, as YAML documents, or one of its two HCL texts. */
export function renderDecision(decision: Exclude<Decision, { kind: 'refused' }>, part: RenderPart): string {
  if (part === 'module') return readText(decision, 'Workspace', ['spec', 'forProvider', 'module']);
  if (part === 'provider-config') return readText(decision, 'ProviderConfig', ['spec', 'configuration']);
  const status = decision.status === undefined ? [] : [{ status: decision.status }];
  const objects = [...decision.resources].map(([key, { object }]) => withKey(key, object));
  return [...status, ...objects].map(document => `---\n${stringify(document, { lineWidth: 0 })}`).join('');
}

function readText(decision: Settled | Waiting, kind: string, path: readonly string[]): string {
  const found = [...decision.resources.values()].find(({ object }) => object.kind === kind);
  const text = readPath(found?.object, ...path);
  return typeof text === 'string' ? text : '';
}

/** The key as core writes it on what it composes. */
function withKey(key: string, object: KubeObject): KubeObject {
  const annotations = { 'crossplane.io/composition-resource-name': key, ...object.metadata.annotations };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
