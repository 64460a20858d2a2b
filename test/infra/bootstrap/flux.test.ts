/** Phase 5's manifests: built by the real kustomize, judged by kubeconform, in the order of the diagram. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CATALOGUE } from '../../../infra/bootstrap/secret-zero/catalogue.ts';
import { readSite } from '../../../infra/bootstrap/site/site.ts';
import { judge, writeSchemas } from '../k8s/artifact.ts';
import { BOOTSTRAP, REPOSITORY } from './site-fixture.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const FLUX = join(BOOTSTRAP, 'flux');
const site = readSite(join(BOOTSTRAP, 'site.yaml'));
interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly dependsOn?: readonly { name: string }[];
    readonly path?: string;
    readonly [key: string]: unknown;
  };
}

function build(folder: string): string {
  const { stdout: path } = spawnSync(join(REPOSITORY, 'tools/path.sh'), ['kustomize'], { encoding: 'utf8' });
  const { status, stdout, stderr } = spawnSync(path.trim(), ['build', join(FLUX, folder)], { encoding: 'utf8' });
  expect({ folder, status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}
const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).map(document => document.toJS() as KubernetesObject);

let schemas: string;
beforeAll(() => {
  schemas = writeSchemas();
});
afterAll(() => {
  rmSync(schemas, { recursive: true, force: true });
});

it.each(readdirSync(FLUX))('%s builds and is valid', folder => {
  expect(judge(build(folder), schemas)).toEqual([]);
});

describe('the order', () => {
  const kustomizations = objectsOf(build('cluster')).filter(({ kind }) => kind === 'Kustomization');
  const after = (name: string): string[] => {
    const found = kustomizations.find(({ metadata }) => metadata.name === name);
    return (found?.spec.dependsOn ?? []).map(each => each.name);
  };

  it('is that of the diagram: ESO, its Secrets, Longhorn and Traefik, apps', () => {
    expect(Object.fromEntries(kustomizations.map(({ metadata: { name } }) => [name, after(name)]))).toEqual({
      'external-secrets': [],
      'secret-store': ['external-secrets'],
      secrets: ['secret-store'],
      longhorn: ['secrets'],
      traefik: ['secrets'],
      apps: ['longhorn', 'traefik'],
    });
  });

  it('waits for each to be ready, and every folder has its Kustomization', () => {
    for (const { metadata, spec } of kustomizations)
      expect(spec).toMatchObject({ wait: true, path: `./infra/bootstrap/flux/${metadata.name}` });
    expect(kustomizations.map(({ metadata }) => metadata.name).sort()).toEqual(
      readdirSync(FLUX)
        .filter(name => name !== 'cluster')
        .sort(),
    );
  });

  it('never takes the storage away', () => {
    expect(kustomizations.find(({ metadata }) => metadata.name === 'longhorn')?.spec).toMatchObject({ prune: false });
  });
});

it('reads what phase 0 put into AWS, and has no Secret of its own', () => {
  const objects = readdirSync(FLUX).flatMap(folder => objectsOf(build(folder)));
  expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  const store = objects.find(({ kind }) => kind === 'ClusterSecretStore');
  expect(store?.spec).toMatchObject({ provider: { aws: { region: site.aws.region, service: 'SecretsManager' } } });
  const external = objects.filter(({ kind }) => kind === 'ExternalSecret');
  expect(external).toHaveLength(1);
  const data = external.flatMap(
    ({ spec }) => spec['data'] as readonly { remoteRef: { key: string; property: string } }[],
  );
  for (const { remoteRef } of data) {
    const name = remoteRef.key.replace(`${site.aws.prefix}/`, '') as keyof typeof CATALOGUE;
    expect(CATALOGUE[name].flatMap(part => Object.values(part))).toContain(remoteRef.property);
  }
});
