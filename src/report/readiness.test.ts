import { expect, it } from 'vitest';
import { parseKubeObject } from '../kube.ts';
import { reportReady } from './readiness.ts';

function observed(conditions: Readonly<Record<string, string>>): ReturnType<typeof parseKubeObject> {
  const list = Object.entries(conditions).map(([type, status]) => ({ type, status }));
  return parseKubeObject({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, status: { conditions: list } });
}

const cases: { kind: string; conditions: Readonly<Record<string, string>> | undefined; ready: boolean }[] = [
  { kind: 'Workspace', conditions: undefined, ready: false },
  { kind: 'Workspace', conditions: {}, ready: false },
  { kind: 'Workspace', conditions: { Ready: 'True' }, ready: false },
  { kind: 'Workspace', conditions: { Ready: 'True', Synced: 'False' }, ready: false },
  { kind: 'Workspace', conditions: { Ready: 'True', Synced: 'True' }, ready: true },
  { kind: 'Usage', conditions: {}, ready: false },
  { kind: 'Usage', conditions: { Ready: 'True' }, ready: true },
  { kind: 'ProviderConfig', conditions: undefined, ready: false },
  { kind: 'ProviderConfig', conditions: {}, ready: true },
  { kind: 'Secret', conditions: {}, ready: true },
];
it.each(cases)('$kind with $conditions: $ready', ({ kind, conditions, ready }) => {
  expect(reportReady(kind, conditions && observed(conditions))).toBe(ready);
});
