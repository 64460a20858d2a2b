import { describe, expect, it } from 'vitest';
import { parseApps } from './apps.ts';

const files = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([file, text]) => ({ file, text }));

const APP = {
  'k8s/apps/a/kustomization.yaml':
    'namespace: a\nresources: [schedule.yaml, ./more]\ncomponents:\n  - ../../components/x\n',
  'k8s/apps/a/schedule.yaml': 'apiVersion: k8up.io/v1\nkind: Schedule\nmetadata:\n  name: s\n  labels: { own: "1" }\n',
  'k8s/apps/a/more/kustomization.yaml': 'resources: [ns.yaml]\n',
  'k8s/apps/a/more/ns.yaml': '---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n',
  'k8s/components/x/kustomization.yaml':
    'resources: [xr.yaml]\npatches:\n  - target: { kind: Schedule }\n    patch: |\n      kind: Schedule\n      metadata:\n        labels:\n          added: "2"\n',
  'k8s/components/x/xr.yaml': 'apiVersion: v1\nkind: Thing\nmetadata:\n  name: t\n',
};

describe('parseApps', () => {
  it('brings together resources, folders, components, namespace and labels', () => {
    const [app, ...others] = parseApps(files(APP), 'k8s/apps');
    expect(others).toEqual([]);
    expect(app?.namespace).toBe('a');
    expect(app?.objects.map(({ kind, file, line }) => [kind, file, line])).toEqual([
      ['Schedule', 'k8s/apps/a/schedule.yaml', 4],
      ['Namespace', 'k8s/apps/a/more/ns.yaml', 5],
      ['Thing', 'k8s/components/x/xr.yaml', 4],
    ]);
    const [schedule, namespace, thing] = app?.objects ?? [];
    expect([...(schedule?.labels ?? [])]).toEqual([
      ['own', '1'],
      ['added', '2'],
    ]);
    expect(thing?.document).toMatchObject({ metadata: { name: 't', namespace: 'a' } });
    expect(namespace?.document).toEqual({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
  });

  it('says where a file is named that is not there', () => {
    const rest = files(APP).filter(({ file }) => !file.endsWith('schedule.yaml'));
    expect(() => parseApps(rest, 'k8s/apps')).toThrow(
      'k8s/apps/a/kustomization.yaml:2: expected k8s/apps/a/schedule.yaml to be there',
    );
  });

  it('ends where kustomizations name each other', () => {
    const cycle = { ...APP, 'k8s/components/x/kustomization.yaml': 'components: [../x]\n' };
    expect(parseApps(files(cycle), 'k8s/apps')[0]?.objects).toHaveLength(2);
  });
});
