/** The example apps, from their folders to what the real Crossplane composes for each. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readPath } from '../../../src/kube.ts';
import { renderWithCrossplane } from '../../conformance/crossplane-render.ts';
import { startFunction, type FunctionProcess } from '../../conformance/function-process.ts';
import { Artifact, readObjects, type KubernetesObject } from './artifact.ts';

const artifact = Artifact.pack();
const scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-apps-'));
let ours: FunctionProcess;
beforeAll(async () => {
  ours = await startFunction();
});
afterAll(async () => {
  await ours.stop();
  artifact.remove();
  rmSync(scratch, { recursive: true });
});

const READ = ['Namespace', 'Schedule', 'HTTPRoute'];

/** Renders the app's TofuWorkspace with this site's Composition, the app's own objects and those of all other apps. */
async function render(
  app: string,
  from = artifact,
  observed: readonly KubernetesObject[] = [],
): Promise<KubernetesObject[]> {
  const objects = readObjects(from.build('infra/k8s/apps/talos'));
  const folder = mkdtempSync(join(scratch, `${app}-`));
  const write = (name: string, content: readonly KubernetesObject[]): string => {
    writeFileSync(join(folder, name), content.map(object => stringify(object)).join('---\n'));
    return join(folder, name);
  };
  write(
    'xr.yaml',
    objects.filter(({ kind, metadata }) => kind === 'TofuWorkspace' && metadata.namespace === app),
  );
  write(
    'required.yaml',
    objects.filter(({ kind }) => READ.includes(kind)),
  );
  if (observed.length > 0) write('observed.yaml', observed);
  const composition = write(
    'composition.yaml',
    readObjects(from.build('infra/k8s/platform/configs/talos')).filter(({ kind }) => kind === 'Composition'),
  );
  const { stdout, stderr, status } = await renderWithCrossplane(folder, { port: ours.port, composition });
  expect(status, `${stderr}\n${ours.log()}`).toBe(0);
  return readObjects(stdout);
}

const find = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const found = objects.find(object => object.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} was composed`);
  return found;
};
const moduleOf = (objects: readonly KubernetesObject[]): string =>
  String(readPath(find(objects, 'Workspace'), 'spec', 'forProvider', 'module'));
const statusOf = (objects: readonly KubernetesObject[]): unknown => find(objects, 'TofuWorkspace').status;

describe('paperless: a backup and an internal route', () => {
  it('gets a bucket, a key and a record, and nothing of another app', async () => {
    const objects = await render('paperless');
    expect(statusOf(objects)).toMatchObject({
      bucketCount: 1,
      recordCount: 1,
      buckets: [{ name: 'kueber-paperless-backup', state: 'Wanted', schedules: ['backup'] }],
      records: [{ name: 'paperless.int.kueber.eu', type: 'A' }],
    });
    expect(moduleOf(objects)).toContain('"kueber-paperless-backup" = "kueber-paperless-backup"');
    expect(moduleOf(objects)).not.toContain('recipes');
    expect(String(readPath(find(objects, 'ProviderConfig'), 'spec', 'configuration'))).toMatch(
      /bucket += "crossplane-talos-workspaces-995867de"[^]*workspace_key_prefix += "paperless"/,
    );
    expect(objects.filter(({ kind }) => kind === 'Usage')).toHaveLength(5);
    expect(readPath(statusOf(objects), 'conditions')).toContainEqual(
      expect.objectContaining({ type: 'NamespaceLabelled', status: 'True' }),
    );
  });
});

describe('website: a public route only', () => {
  it('gets neither, but a Workspace that could delete a record', async () => {
    const objects = await render('website');
    expect(statusOf(objects)).toMatchObject({ bucketCount: 0, recordCount: 0, read: { schedules: 0, routes: 1 } });
    expect(moduleOf(objects)).toContain('provider "netbird" {}');
  });
});

describe('recipes: a route moved from the internal gateway to the public one', () => {
  it('keeps its bucket, and the record leaves the module while its provider stays', async () => {
    const earlier = artifact.copy();
    const route = 'infra/k8s/apps/talos/recipes/route.yaml';
    earlier.edit(route, '- name: public', '- name: internal');
    earlier.edit(route, '- recipes.kueber.eu', '- recipes.int.kueber.eu');
    const before = await render('recipes', earlier);
    earlier.remove();
    expect(statusOf(before)).toMatchObject({ recordCount: 1, records: [{ name: 'recipes.int.kueber.eu' }] });
    expect(moduleOf(before)).toContain('"recipes.int.kueber.eu" = "int.kueber.eu"');

    // What is in the cluster once that was applied.
    const workspace = find(before, 'Workspace');
    const applied = {
      ...workspace,
      status: {
        conditions: ['Ready', 'Synced'].map(type => ({
          ...{ type, status: 'True', reason: 'Available', lastTransitionTime: '2026-01-01T00:00:00Z' },
        })),
        atProvider: {
          outputs: {
            buckets: { 'kueber-recipes-backup': '4a48fe8875c6214145260818' },
            records: { 'recipes.int.kueber.eu': '100.64.0.10' },
          },
        },
      },
    };
    const after = await render('recipes', artifact, [applied]);
    expect(statusOf(after)).toMatchObject({ bucketCount: 1, recordCount: 0 });
    expect(moduleOf(after)).toContain('records = {}');
    expect(moduleOf(after)).toContain('provider "netbird" {}');
    expect(moduleOf(after)).toContain('resource "netbird_dns_record" "internal"');
    expect(moduleOf(after)).toContain('"kueber-recipes-backup" = "kueber-recipes-backup"');
  });

  it('is what its README says', () => {
    expect(readFileSync(join(artifact.folder, 'infra/k8s/apps/talos/recipes/kustomization.yaml'), 'utf8')).toContain(
      'moved from the internal to the public gateway',
    );
  });
});
