/** What `tofuworkspace doctor` reads from a real kube-apiserver, as one who may list everything but Secrets. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiextensionsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  RbacAuthorizationV1Api,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { JsonDiagnosis, JsonVerdict } from '../../../../src/doctor/print.ts';
import { readKinds, snapshotFromApi } from '../../../../src/live/from-api.ts';
import { LIVE_KIND_NAMES } from '../../../../src/live/snapshot.ts';
import { eventually } from './cluster.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const NAMESPACE = `doctor-${process.pid}`;
const SECRET_VALUE = 'a-value-that-nobody-may-see';

/** Without those of External Secrets: a kind that is not there. */
const CRDS = ['k8up.io_schedules', 'gateway.networking.k8s.io_httproutes', 'protection.crossplane.io_usages'];

/** A stand-in for the CRD that Crossplane makes of the XRD: the same names, and any content. */
const TOFU_WORKSPACES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tofuworkspaces.platform.kueber.eu' },
  spec: {
    group: 'platform.kueber.eu',
    names: {
      kind: 'TofuWorkspace',
      listKind: 'TofuWorkspaceList',
      plural: 'tofuworkspaces',
      singular: 'tofuworkspace',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe.skipIf(inject('kubeconfig') === '')('doctor', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'doctor-'));
  const admin = inject('kubeconfig');
  const restricted = join(scratch, 'kubeconfig');
  const config = new KubeConfig();
  const crds: string[] = [];

  beforeAll(async () => {
    config.loadFromFile(admin);
    const extensions = config.makeApiClient(ApiextensionsV1Api);
    const bodies = [
      ...CRDS.map(name => parse(readFileSync(join(ROOT, `data/crds/${name}.yaml`), 'utf8')) as unknown),
      TOFU_WORKSPACES,
    ];
    for (const body of bodies as { readonly metadata: { readonly name: string } }[]) {
      const { name } = body.metadata;
      crds.push(name);
      await extensions.createCustomResourceDefinition({ body: body as never });
      await eventually(`${name} is established`, async () => {
        const { status } = await extensions.readCustomResourceDefinition({ name });
        return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True');
      });
    }
    const api = KubernetesObjectApi.makeApiClient(config);
    const create = async (apiVersion: string, kind: string, name: string, rest: object = {}): Promise<void> => {
      const metadata = kind === 'Namespace' ? { name } : { name, namespace: NAMESPACE };
      const object: unknown = { apiVersion, kind, metadata, ...rest };
      await eventually(`${kind} is served`, async () => {
        try {
          return await api.create(object as never);
        } catch (error) {
          // Discovery of a new CRD comes a moment after it is established.
          if ((error as { readonly code?: number }).code === 404 || /Unrecognized/.test(String(error)))
            return undefined;
          throw error;
        }
      });
    };
    await create('v1', 'Namespace', NAMESPACE);
    await create('platform.kueber.eu/v1alpha1', 'TofuWorkspace', 'workspace', { spec: {} });
    await create('v1', 'Secret', 'tofu-encryption', { stringData: { passphrase: SECRET_VALUE } });
    await create('v1', 'ServiceAccount', 'reader');
    await mayList([
      'namespaces',
      'schedules',
      'httproutes',
      'tofuworkspaces',
      'workspaces',
      'providerconfigs',
      'providerconfigusages',
      'usages',
    ]);
    await writeRestricted();
  });

  afterAll(async () => {
    const extensions = config.makeApiClient(ApiextensionsV1Api);
    for (const name of crds) await extensions.deleteCustomResourceDefinition({ name });
    await config.makeApiClient(RbacAuthorizationV1Api).deleteClusterRole({ name: NAMESPACE });
    await config.makeApiClient(RbacAuthorizationV1Api).deleteClusterRoleBinding({ name: NAMESPACE });
    rmSync(scratch, { recursive: true });
  });

  // The client wants instances of its classes, and serialises whatever has their fields.
  async function mayList(resources: readonly string[]): Promise<void> {
    const rbac = config.makeApiClient(RbacAuthorizationV1Api);
    const metadata = { name: NAMESPACE };
    const role: unknown = { metadata, rules: [{ apiGroups: ['*'], resources, verbs: ['list'] }] };
    await rbac.createClusterRole({ body: role as never });
    const binding: unknown = {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAMESPACE },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: NAMESPACE }],
    };
    await rbac.createClusterRoleBinding({ body: binding as never });
  }

  async function writeRestricted(): Promise<void> {
    const request: unknown = { spec: { audiences: ['https://kubernetes.default.svc'] } };
    const { status } = await config.makeApiClient(CoreV1Api).createNamespacedServiceAccountToken({
      name: 'reader',
      namespace: NAMESPACE,
      body: request as never,
    });
    const own = parse(readFileSync(admin, 'utf8')) as { users: { name: string; user: { token: string } }[] };
    const users = own.users.map(({ name }) => ({ name, user: { token: status?.token ?? '' } }));
    writeFileSync(restricted, stringify({ ...own, users }), { mode: 0o600 });
  }

  function run(kubeconfig: string): {
    readonly status: number | null;
    readonly text: string;
    readonly verdicts: readonly JsonVerdict[];
  } {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', 'src/cli.ts', 'doctor', '--kubeconfig', kubeconfig, '--namespace', NAMESPACE, '--json'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    return {
      status,
      text: stdout + stderr,
      verdicts: stdout === '' ? [] : (JSON.parse(stdout) as JsonDiagnosis).verdicts,
    };
  }

  it('reads every kind that is there, and of Secrets no value', async () => {
    const snapshot = await snapshotFromApi({ kubeconfig: admin }, NAMESPACE);
    const unreadable = LIVE_KIND_NAMES.filter(kind => snapshot[kind].kind === 'unreadable');
    expect(unreadable).toEqual(['ExternalSecret']);
    expect(JSON.stringify(snapshot.Secret)).toContain('"passphrase":""');
    expect(JSON.stringify(snapshot)).not.toContain(Buffer.from(SECRET_VALUE).toString('base64'));
    const { TofuWorkspace } = snapshot;
    expect(
      TofuWorkspace.kind === 'objects' ? TofuWorkspace.objects.map(({ kind, metadata }) => [kind, metadata.name]) : [],
    ).toEqual([['TofuWorkspace', 'workspace']]);
  });

  it('a kind without CRD was not looked at, a namespace without its label is broken', () => {
    const { status, text, verdicts } = run(admin);
    expect(status, text).toBe(1);
    expect(verdicts.find(({ row }) => row === 'secret-not-delivered')).toMatchObject({
      verdict: 'not looked at',
      text: 'no infra tree was named (--infra)',
    });
    expect(
      verdicts.filter(
        ({ verdict, text: why }) =>
          verdict === 'not looked at' && /^ExternalSecret: its CRD is not installed/.test(why),
      ),
    ).toHaveLength(1);
    expect(
      verdicts.find(({ row, verdict }) => row === 'namespace-label-missing' && verdict === 'broken'),
    ).toMatchObject({
      evidence: { kind: 'Namespace', name: NAMESPACE },
    });
    expect(text).not.toContain(SECRET_VALUE);
  });

  it('a kind that may not be listed was not looked at, and the others were', () => {
    const { status, text, verdicts } = run(restricted);
    expect(status, text).toBe(1);
    const rowsWith = (pattern: RegExp): string[] =>
      verdicts
        .filter(({ verdict, text: why }) => verdict === 'not looked at' && pattern.test(why))
        .map(({ row }) => row);
    expect(rowsWith(/^Secret: forbidden \(403: secrets is forbidden: User "system:serviceaccount:/)).toEqual([
      'namespace-terminating',
      'secret-not-delivered',
      'schedule-secret-not-delivered',
    ]);
    expect(verdicts.find(({ row, side }) => row === 'paused' && side === 'cluster')).toMatchObject({ verdict: 'fine' });
  });

  it('a kind of an unknown group reads as one without CRD', async () => {
    const { Nothing } = await readKinds({ kubeconfig: admin }, { Nothing: 'nowhere.example.test/v1' });
    expect(Nothing).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringMatching(/^its CRD is not installed/) as unknown,
    });
  });
});
