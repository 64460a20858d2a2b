/** Every row with a fault planted that it must find, with the place and the right fix first; and all of them without. */
import { describe, expect, it } from 'vitest';
import {
  breakFile,
  change,
  failing,
  healthy,
  infra,
  input,
  remove,
  sourcesOf,
  withMetadata,
} from '../../test/fixtures/doctor-sources.ts';
import type { KubeObject } from '../kube.ts';
import { LIVE_KIND_NAMES, type Snapshot } from '../live/snapshot.ts';
import { diagnose } from './diagnose.ts';
import { printEvidence, type Fix, type Sources } from './row.ts';
import { ROWS } from './rows.ts';

const DELETED = { deletionTimestamp: '2026-11-01T08:00:00Z', finalizers: ['finalizer.managedresource.crossplane.io'] };
const PAUSED = { annotations: { 'crossplane.io/paused': 'true' } };
const workspace = ['Workspace', 'paperless', 'workspace'] as const;
const composite = ['TofuWorkspace', 'paperless', 'workspace'] as const;
const schedule = ['Schedule', 'paperless', 'backup'] as const;

const fails = (
  message: string,
  which: readonly [string, string, string] = workspace,
  objects = healthy,
): readonly KubeObject[] => change(which, object => failing(object, message), objects);
const patch = (object: KubeObject, fields: Readonly<Record<string, unknown>>): KubeObject => ({ ...object, ...fields });

/** The namespace goes, and its Workspace with it. */
const terminating = change(
  workspace,
  object => withMetadata(object, DELETED),
  change(['Namespace', '', 'paperless'], object => withMetadata(object, DELETED)),
);
/** As Argo CD prunes, unless told otherwise. */
const inForeground = change(
  workspace,
  object => withMetadata(object, { finalizers: ['finalizer.managedresource.crossplane.io', 'foregroundDeletion'] }),
  terminating,
);

const tree = (...parts: Parameters<typeof breakFile>): Sources => sourcesOf(undefined, breakFile(...parts));
const cluster = (objects: readonly KubeObject[]): Sources => sourcesOf(objects, undefined);

const INIT = 'cannot run tofu init: Error: S3 bucket "states" does not exist';
const component = 'k8s/components/workspace/talos/kustomization.yaml';
const paperless = 'k8s/apps/talos/paperless/schedule.yaml';

interface Planted {
  readonly row: string;
  readonly fault: string;
  readonly sources: Sources;
  readonly verdict?: 'warning';
  readonly at: RegExp | string;
  readonly found: RegExp;
  /** What the first fix, or the first that does something, says. */
  readonly fix: RegExp;
}

const PLANTED: readonly Planted[] = [
  {
    row: 'address-drift',
    fault: 'an address differs in topf.yaml',
    sources: tree('talos/talos/topf.yaml', '192.168.100.112\n', '192.168.100.12\n'),
    at: /^infra\/talos\/talos\/topf\.yaml:\d+$/,
    found: /talos-worker-02 has address 192\.168\.100\.12, but 192\.168\.100\.112 at infra\/tofu\/.*talos\.tf:\d+/,
    fix: /Make topf\.yaml say what talos\.tf says/,
  },
  {
    row: 'gpu-host-not-commissioned',
    fault: 'a host left the group of the inventory',
    sources: tree(
      'ansible/inventory.yml',
      /(igpu_passthrough:\n\s+hosts:\n(?:\s+proxmox-[12]:\n)*)\s+proxmox-3:\n/,
      '$1',
    ),
    at: /^infra\/tofu\/environment\/production\/talos\.tf:\d+$/,
    found: /talos-worker-03 gets the iGPU of proxmox-3/,
    fix: /Ansible first: put proxmox-3 into the group/,
  },
  {
    row: 'node-image-differs',
    fault: 'topf installs another version',
    sources: tree('talos/talos/topf.yaml', 'talosVersion: v1.13.7', 'talosVersion: v1.13.8'),
    at: /^infra\/talos\/talos\/topf\.yaml:\d+$/,
    found: /Talos v1\.13\.8, but a new VM boots v1\.13\.7/,
    fix: /Make both sides say the same/,
  },
  {
    row: 'node-image-differs',
    fault: 'one copy of a schematic has another extension',
    sources: tree('talos/talos/schematic.yaml', 'siderolabs/qemu-guest-agent', 'siderolabs/iscsi-tools'),
    at: 'infra/talos/talos/schematic.yaml:1',
    found: /says something else than infra\/tofu\/environment\/production\/schematic\.yaml/,
    fix: /Make both sides say the same/,
  },
  {
    row: 'igpu-ids-differ',
    fault: 'OpenTofu maps another device of one host',
    sources: tree('tofu/environment/production/variables.tf', '8086:46a6', '8086:9a49'),
    at: /^infra\/tofu\/environment\/production\/variables\.tf:\d+$/,
    found: /proxmox-1 has the iGPU 8086:9a49, but Ansible hands over 8086:46a6/,
    fix: /Ask the host which it is/,
  },
  {
    row: 'namespace-label-missing',
    fault: 'the component labels the Namespace with another value',
    sources: tree(component, 'secrets.tofu-workspace: "true"', 'secrets.tofu-workspace: "yes"'),
    at: /^infra\/k8s\/apps\/talos\/\w+\/namespace\.yaml:\d+$/,
    found: /lacks the label secrets\.tofu-workspace: "true"/,
    fix: /include the component/,
  },
  {
    row: 'namespace-label-missing',
    fault: 'the Namespace of the cluster lost its label',
    sources: cluster(change(['Namespace', '', 'paperless'], object => withMetadata(object, { labels: {} }))),
    at: 'Namespace paperless',
    found: /Namespace paperless has a TofuWorkspace and lacks the label secrets\.tofu-workspace: "true"/,
    fix: /kubectl label namespace paperless secrets\.tofu-workspace=true/,
  },
  {
    row: 'secret-not-delivered',
    fault: 'nobody delivers a Secret of the Input',
    sources: tree(
      'k8s/platform/configs/talos/external-secrets/delivery.yaml',
      /name: tofu-encryption\n(\s+)creationPolicy/,
      'name: encryption\n$1creationPolicy',
    ),
    at: /delivery\.yaml:\d+$/,
    found: /Secret tofu-encryption is not delivered/,
    fix: /name the same Secret/,
  },
  {
    row: 'secret-not-delivered',
    fault: 'the passphrase is not in the namespace',
    sources: cluster(remove(['Secret', 'paperless', 'tofu-encryption'])),
    at: 'Workspace paperless/workspace',
    found:
      /Secret tofu-encryption is not in paperless; ExternalSecret tofu-encryption is Ready False, SecretSyncedError/,
    fix: /kubectl -n paperless describe externalsecret tofu-encryption/,
  },
  {
    row: 'secret-not-delivered',
    fault: 'a Secret lacks a key',
    sources: cluster(
      change(['Secret', 'paperless', 'tofu-encryption'], object => patch(object, { data: { other: 'eA==' } })),
    ),
    at: 'Workspace paperless/workspace',
    found: /Secret tofu-encryption has no key passphrase/,
    fix: /External Secrets/,
  },
  {
    row: 'unlabelled-object',
    fault: 'the component does not label Schedules',
    sources: tree(
      'k8s/components/workspace/base/kustomization.yaml',
      'kind: Schedule\n      metadata:\n        name: any\n        labels:\n          crossplane-workspace: "true"',
      'kind: Schedule\n      metadata:\n        name: any\n        labels:\n          crossplane-workspaces: "true"',
    ),
    at: `infra/${paperless}:6`,
    found:
      /Schedule paperless\/backup lacks the label crossplane-workspace: "true".*nobody makes bucket kueber-paperless-backup/,
    fix: /include the component/,
  },
  {
    row: 'unlabelled-object',
    fault: 'a route lost its label',
    sources: cluster(change(['HTTPRoute', 'paperless', 'web'], object => withMetadata(object, { labels: {} }))),
    at: 'HTTPRoute paperless/web',
    found: /there is no record for paperless\.int\.kueber\.eu/,
    fix: /kubectl -n paperless label httproutes\.gateway\.networking\.k8s\.io\/web crossplane-workspace=true/,
  },
  {
    row: 'every-workspace-fails-init',
    fault: 'the component names a bucket that nobody makes',
    sources: tree(component, '995867de', '995867df'),
    at: /^infra\/k8s\/components\/workspace\/talos\/kustomization\.yaml:\d+$/,
    found: /state bucket crossplane-talos-workspaces-995867df is not made/,
    fix: /Put the name back/,
  },
  {
    row: 'every-workspace-fails-init',
    fault: 'all of them fail',
    sources: cluster(fails(INIT, ['Workspace', 'recipes', 'workspace'], fails(INIT))),
    at: 'Workspace paperless/workspace',
    found: /every Workspace \(2\) fails on init: paperless, recipes/,
    fix: /Pause all of them first/,
  },
  {
    row: 'every-workspace-fails-init',
    fault: 'one of them fails',
    sources: cluster(fails(INIT)),
    at: 'Workspace paperless/workspace',
    found: /this Workspace fails on init, 1 of 2 do not/,
    fix: /Pause first/,
  },
  {
    row: 'bucket-already-exists',
    fault: 'a renamed bucket exists',
    sources: cluster(
      change(
        schedule,
        object =>
          JSON.parse(JSON.stringify(object).replaceAll('kueber-paperless-backup', 'paperless-new')) as KubeObject,
        fails('Error: duplicate_bucket_name: Bucket name is already in use'),
      ),
    ),
    at: 'Workspace paperless/workspace',
    found: /not in this state: paperless-new/,
    fix: /Pause first/,
  },
  {
    row: 'two-tofuworkspaces',
    fault: 'an app brings a second one',
    sources: tree(
      'k8s/apps/talos/paperless/namespace.yaml',
      'apiVersion: v1',
      'apiVersion: platform.kueber.eu/v1alpha1\nkind: TofuWorkspace\nmetadata:\n  name: second\n---\napiVersion: v1',
    ),
    at: 'infra/k8s/apps/talos/paperless/namespace.yaml:4',
    found: /namespace paperless has 2 TofuWorkspaces/,
    fix: /Pause first/,
  },
  {
    row: 'two-tofuworkspaces',
    fault: 'the cluster has a second one',
    sources: cluster([
      ...healthy,
      ...healthy
        .filter(({ kind, metadata }) => kind === 'TofuWorkspace' && metadata.namespace === 'paperless')
        .map(object => withMetadata(object, { name: 'other' })),
    ]),
    at: 'TofuWorkspace paperless/other',
    found: /two states would claim the same buckets/,
    fix: /Pause first/,
  },
  {
    row: 'bucket-in-two-namespaces',
    fault: 'two apps name one bucket, in another spelling',
    sources: tree(paperless, 'bucket: kueber-paperless-backup', 'bucket: Kueber-Recipes-Backup'),
    at: /^infra\/k8s\/apps\/talos\/\w+\/schedule\.yaml:6$/,
    found: /is wanted by paperless and recipes/,
    fix: /Pause first/,
  },
  {
    row: 'bucket-in-two-namespaces',
    fault: 'a Schedule names what another Workspace has',
    sources: cluster(
      change(
        schedule,
        object =>
          JSON.parse(
            JSON.stringify(object).replaceAll('kueber-paperless-backup', 'kueber-recipes-backup'),
          ) as KubeObject,
      ),
    ),
    at: 'Schedule paperless/backup',
    found: /bucket kueber-recipes-backup is wanted by recipes and paperless/,
    fix: /Pause first/,
  },
  {
    row: 'schedule-secret-not-delivered',
    fault: 'the Schedule of an app reads credentials that are not composed',
    sources: tree(paperless, /name: kueber-paperless-backup-b2/g, 'name: my-own-keys'),
    at: `infra/${paperless}:6`,
    found:
      /reads the credentials of kueber-paperless-backup from Secret my-own-keys; composed is kueber-paperless-backup-b2/,
    fix: /\{name: kueber-paperless-backup-b2, key: ACCESS_KEY_ID\}/,
  },
  {
    row: 'schedule-secret-not-delivered',
    fault: "nobody delivers the repository's password",
    sources: tree('k8s/apps/talos/paperless/kustomization.yaml', '  - restic.sops.yaml\n', ''),
    at: `infra/${paperless}:6`,
    found: /reads Secret restic \(spec\.backend\.repoPasswordSecretRef\), which nobody delivers/,
    fix: /must be the one that it was made with/,
  },
  {
    row: 'schedule-secret-not-delivered',
    fault: 'the password is not in the cluster',
    sources: cluster(remove(['Secret', 'paperless', 'restic'])),
    at: 'Schedule paperless/backup',
    found: /reads Secret restic/,
    fix: /must be the one that it was made with/,
  },
  {
    row: 'schedule-secret-not-delivered',
    fault: 'OpenTofu has not made the key',
    sources: cluster(remove(['Secret', 'paperless', 'kueber-paperless-backup-b2'])),
    at: 'Schedule paperless/backup',
    found: /not there yet: OpenTofu has not made the key/,
    fix: /WorkspaceApplied/,
  },
  {
    row: 'provider-versions-differ',
    fault: 'an environment pins another version',
    sources: tree('tofu/environment/netbird/versions.tf', `"${input.providers.netbird.version}"`, '"0.0.9"'),
    verdict: 'warning',
    at: /^infra\/tofu\/environment\/netbird\/versions\.tf:\d+$/,
    found: /netbirdio\/netbird is pinned to 0\.0\.9/,
    fix: /pin both to one/,
  },
  {
    row: 'buckets-unprotected',
    fault: 'retainBuckets is off',
    sources: cluster(change(composite, object => patch(object, { spec: { retainBuckets: false } }))),
    verdict: 'warning',
    at: 'TofuWorkspace paperless/workspace',
    found: /destroys its empty buckets/,
    fix: /retainBuckets: true/,
  },
  {
    row: 'bucket-releasing',
    fault: 'a bucket is Releasing',
    sources: cluster(
      change(composite, object => patch(object, { status: { buckets: [{ name: 'old-bucket', state: 'Releasing' }] } })),
    ),
    verdict: 'warning',
    at: 'TofuWorkspace paperless/workspace',
    found: /bucket old-bucket is Releasing/,
    fix: /Delete nothing in paperless until old-bucket/,
  },
  {
    row: 'tofuworkspace-refused',
    fault: 'the function refuses',
    sources: cluster(
      change(composite, object =>
        patch(object, {
          status: {
            conditions: [
              {
                type: 'IntentSettled',
                status: 'False',
                reason: 'StateAddressChanged',
                message: 'the state would move',
              },
            ],
          },
        }),
      ),
    ),
    at: 'TofuWorkspace paperless/workspace',
    found: /StateAddressChanged: the state would move/,
    fix: /StateAddressChanged, under "The function refuses"/,
  },
  {
    row: 'workspace-fails',
    fault: 'the state cannot be decrypted',
    sources: cluster(fails('Error: decryption failed for all provided methods')),
    at: 'Workspace paperless/workspace',
    found: /WrongPassphrase/,
    fix: /Pause first/,
  },
  {
    row: 'paused',
    fault: 'a Workspace is paused',
    sources: cluster(change(workspace, object => withMetadata(object, PAUSED))),
    verdict: 'warning',
    at: 'Workspace paperless/workspace',
    found: /neither reconciled nor deleted/,
    fix: /Unpause one at a time/,
  },
  ...(
    [
      [
        'the ProviderConfig is gone',
        remove(['ProviderConfig', 'paperless', 'workspace'], terminating),
        /ProviderConfig workspace is gone/,
      ],
      [
        'a Secret is gone',
        remove(['Secret', 'paperless', 'tofu-encryption'], terminating),
        /Secret tofu-encryption is gone/,
      ],
      [
        'the use is not recorded',
        remove(['ProviderConfigUsage', 'paperless', 'uid-of-paperless'], terminating),
        /ProviderConfigUsage uid-of-paperless is gone/,
      ],
      [
        'a bucket is protected',
        fails('Error: Resource instance cannot be destroyed', workspace, terminating),
        /PreventDestroy/,
      ],
      [
        'it was deleted in the foreground',
        inForeground,
        /deleted in the foreground, and waits for its ProviderConfigUsage/,
      ],
      ['a bucket is not empty', fails('cannot_delete_non_empty_bucket', workspace, terminating), /BucketNotEmpty/],
    ] as const
  ).map(([fault, objects, found]): Planted => ({
    row: 'namespace-terminating',
    fault,
    sources: cluster(objects),
    at: 'Workspace paperless/workspace',
    found,
    fix: /Pause the Workspace first/,
  })),
  {
    row: 'namespace-terminating',
    fault: 'it was deleted in the foreground: what keeps the buckets is one patch',
    sources: cluster(inForeground),
    at: 'Workspace paperless/workspace',
    found: /deleted in the foreground/,
    fix: /-p '\{"metadata":\{"finalizers":\["finalizer\.managedresource\.crossplane\.io"\]\},"spec":\{"managementPolicies":\[/,
  },
  {
    row: 'namespace-terminating',
    fault: 'the Workspace is paused',
    sources: cluster(change(workspace, object => withMetadata(object, PAUSED), terminating)),
    at: 'Workspace paperless/workspace',
    found: /a paused object is not deleted/,
    fix: /Decide first what is to stay/,
  },
  {
    row: 'namespace-terminating',
    fault: 'a Usage waits after its Workspace has gone',
    sources: cluster(
      change(
        ['Usage', 'paperless', 'workspace-providerconfig'],
        object => withMetadata(object, DELETED),
        remove(workspace, terminating),
      ),
    ),
    verdict: 'warning',
    at: 'Usage paperless/workspace-providerconfig',
    found: /a Usage waits although its Workspace is gone/,
    fix: /Wait a minute/,
  },
];

function look(row: string, sources: Sources) {
  return diagnose(sources)
    .filter(entry => entry.row.id === row)
    .map(({ verdict }) => verdict);
}

const printFixes = (fixes: readonly Fix[]): string =>
  fixes.map(({ does, commands = [] }) => [does, ...commands].join('\n')).join('\n');

describe('without a fault', () => {
  it('every row that looks at infra/ finds nothing, nor at the cluster', () => {
    const verdicts = diagnose(sourcesOf(healthy, infra));
    expect(verdicts.filter(({ verdict }) => verdict.kind !== 'fine').map(({ row }) => row.id)).toEqual([
      'out-of-band-change',
    ]);
    expect(new Set(verdicts.map(({ row }) => row.id)).size).toBe(ROWS.length);
  });
});

describe('with a fault planted', () => {
  it.each(PLANTED)('$row: $fault', ({ row, sources, verdict: kind = 'broken', at, found, fix }) => {
    const problems = look(row, sources).flatMap(verdict => ('found' in verdict ? [verdict] : []));
    const problem = problems.find(candidate => found.test(candidate.found));
    expect(problems.map(candidate => candidate.found).join('\n')).toMatch(found);
    expect(problem?.kind).toBe(kind);
    if (problem === undefined) return;
    if (typeof at === 'string') expect(printEvidence(problem.evidence)).toBe(at);
    else expect(printEvidence(problem.evidence)).toMatch(at);
    expect(printFixes(problem.fixes)).toMatch(fix);
  });

  it('has one for every row but the one that only a plan shows', () => {
    const planted = new Set(PLANTED.map(({ row }) => row));
    expect(ROWS.map(({ id }) => id).filter(id => !planted.has(id))).toEqual(['out-of-band-change']);
  });
});

describe('what could not be read', () => {
  it('is never fine: nothing was named', () => {
    expect(new Set(diagnose(sourcesOf(undefined, undefined)).map(({ verdict }) => verdict.kind))).toEqual(
      new Set(['not looked at']),
    );
  });

  it.each(LIVE_KIND_NAMES)('is never fine: %s may not be listed', kind => {
    const { snapshot } = sourcesOf(healthy, undefined);
    if (snapshot === undefined) throw new Error('no snapshot');
    const blind: Snapshot = { ...snapshot, [kind]: { kind: 'unreadable', reason: 'forbidden' } };
    const verdicts = diagnose({ tree: undefined, snapshot: blind, input });
    const unseen = verdicts.filter(
      ({ verdict }) => verdict.kind === 'not looked at' && verdict.why === `${kind}: forbidden`,
    );
    expect(unseen.length).toBeGreaterThan(0);
    expect(verdicts.filter(({ verdict }) => verdict.kind === 'broken')).toEqual([]);
    for (const { row } of unseen)
      expect(verdicts.filter(entry => entry.row.id === row.id && entry.verdict.kind === 'fine')).toHaveLength(
        row.id === 'unlabelled-object' && kind !== 'TofuWorkspace' ? 1 : 0,
      );
  });

  it('is never fine: a file is missing, or is not understood', () => {
    const without = { ...infra, files: infra.files.filter(({ file }) => !file.endsWith('/topf.yaml')) };
    expect(look('address-drift', sourcesOf(undefined, without))).toEqual([
      { kind: 'not looked at', side: 'infra', why: 'infra/talos/talos/topf.yaml is not there' },
    ]);
    const [verdict] = look('address-drift', tree('talos/talos/topf.yaml', 'nodes:', 'nodes: [}'));
    expect(verdict).toMatchObject({ kind: 'not looked at', side: 'infra' });
  });

  it('is never fine: a Schedule that cannot be parsed', () => {
    const objects = change(schedule, object =>
      patch(object, { spec: { backend: { s3: { endpoint: 'x.backblazeb2.com', bucket: 7 } } } }),
    );
    for (const row of ['bucket-in-two-namespaces', 'unlabelled-object', 'schedule-secret-not-delivered'])
      expect(
        look(row, cluster(objects)).some(
          verdict => verdict.kind === 'not looked at' && /spec\.backend\.s3\.bucket/.test(verdict.why),
        ),
      ).toBe(true);
  });
});

describe('a fix that destroys buckets', () => {
  const all = [
    ...ROWS.map(({ id, fixes }) => ({ id, fixes })),
    ...PLANTED.flatMap(({ row, sources }) =>
      look(row, sources).flatMap(verdict => ('fixes' in verdict ? [{ id: row, fixes: verdict.fixes }] : [])),
    ),
  ];

  it('is the last, after one that keeps them', () => {
    const destroying = all.filter(({ fixes }) => fixes.some(({ destroys }) => destroys === true));
    expect(new Set(destroying.map(({ id }) => id))).toEqual(new Set(['namespace-terminating']));
    for (const { fixes } of destroying) {
      const at = fixes.map(({ destroys }) => destroys === true);
      expect(at.slice(0, -1)).not.toContain(true);
      expect(printFixes(fixes.slice(0, -1))).toMatch(/Keep everything at Backblaze/);
    }
  });

  it('is marked wherever a protection would be taken off', () => {
    for (const { fixes } of all)
      for (const fix of fixes)
        if (/prevent_destroy.{0,80}to false|retainBuckets: false/.test(printFixes([fix])))
          expect(fix.destroys).toBe(true);
  });

  it('is the unpausing, where the module protects nothing any more', () => {
    const open = change(
      workspace,
      object =>
        JSON.parse(JSON.stringify(object).replace('prevent_destroy = true', 'prevent_destroy = false')) as KubeObject,
      change(workspace, object => withMetadata(object, PAUSED), terminating),
    );
    const [problem] = look('namespace-terminating', cluster(open));
    expect(problem !== undefined && 'fixes' in problem ? problem.fixes.at(-1) : undefined).toMatchObject({
      destroys: true,
    });
  });
});

it('a name that an author of a Schedule chose is one word of a command', () => {
  const hostile = change(
    schedule,
    object => JSON.parse(JSON.stringify(object).replaceAll('"restic"', '"restic; rm -rf $HOME \'x"')) as KubeObject,
  );
  const problems = look('schedule-secret-not-delivered', cluster(hostile));
  expect(
    problems.flatMap(problem => ('fixes' in problem ? problem.fixes.flatMap(({ commands }) => commands ?? []) : [])),
  ).toEqual([String.raw`kubectl -n paperless get secret 'restic; rm -rf $HOME '\''x'`]);
});

it('no value of a Secret is in any verdict', () => {
  const { snapshot } = sourcesOf(healthy, undefined);
  expect(JSON.stringify(snapshot)).not.toContain('c2VjcmV0');
});
