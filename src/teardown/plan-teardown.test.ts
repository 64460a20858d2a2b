import { describe, expect, it } from 'vitest';
import { schedule, scheduleWith } from '../../test/fixtures/objects.ts';
import {
  BUCKET,
  BUCKET_ID,
  change,
  elsewhere,
  liveNamespace,
  withMetadata,
  withSynced,
} from '../../test/fixtures/live-namespace.ts';
import type { KubeObject } from '../kube.ts';
import { snapshotFromDocuments } from '../live/from-documents.ts';
import { planTeardown } from './plan-teardown.ts';
import type { Check, KeyFacts, TeardownPlan, TeardownSources } from './plan.ts';

const NAMESPACE = 'demo-a';
const DELETED = { deletionTimestamp: '2026-11-01T08:00:00Z' };

function plan(documents: readonly unknown[], more: Partial<TeardownSources> = {}): TeardownPlan {
  const snapshot = snapshotFromDocuments(documents);
  return planTeardown({
    namespace: NAMESPACE,
    own: snapshot,
    all: snapshot,
    origin: 'api',
    key: { kind: 'unchecked' },
    holdsFiles: new Map(),
    ...more,
  });
}

function key(...capabilities: readonly string[]): KeyFacts {
  return { kind: 'checked', source: 'B2', capabilities: new Set(capabilities), restrictedTo: undefined };
}

function against(told: TeardownPlan): readonly string[] {
  return told.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'unread').map(({ name }) => name);
}

function check(told: TeardownPlan, name: string): Check {
  const found = told.checks.find(candidate => candidate.name === name);
  if (found === undefined) throw new Error(`no check ${name}: ${told.checks.map(each => each.name).join(', ')}`);
  return found;
}

function commits(told: TeardownPlan, way: string): readonly string[] {
  const steps = told.ways.find(({ name }) => name === way)?.steps ?? [];
  return steps.flatMap(step => (step.kind === 'commit' ? [step.lines.join('\n')] : []));
}

const paused = (object: KubeObject): KubeObject =>
  withMetadata(object, { annotations: { ...object.metadata.annotations, 'crossplane.io/paused': 'true' } });

describe('planTeardown: where a namespace is', () => {
  it('protected: the way that keeps everything comes first, two commits destroy', () => {
    const told = plan(liveNamespace());
    expect({ stage: told.stage, refused: told.refused, against: against(told) }).toEqual({
      stage: 'protected',
      refused: false,
      against: [],
    });
    expect(told.ways.map(({ name, refusedBy }) => [name, refusedBy])).toEqual([
      ['keep-everything', []],
      ['keep-buckets', []],
      ['destroy-buckets', []],
    ]);
    expect(told.buckets).toEqual([{ name: BUCKET, id: BUCKET_ID, state: 'Wanted', files: 'unknown' }]);
    const [first, second, ...more] = commits(told, 'destroy-buckets');
    expect([first, more]).toEqual(['spec:\n  retainBuckets: false', []]);
    expect(second).toMatch(/Namespace demo-a/);
    expect(commits(told, 'keep-everything')).toHaveLength(1);
    expect(commits(told, 'keep-buckets')[0]).toBe(
      `# Schedules that go in the same commit: nightly\nspec:\n  releaseBuckets:\n    - ${BUCKET}`,
    );
  });

  it('protected: the policies lose Delete before anything is deleted', () => {
    const [way] = plan(liveNamespace()).ways;
    expect(way?.steps.map(({ kind }) => kind)).toEqual(['run', 'wait', 'commit']);
    expect(way?.steps.flatMap(step => (step.kind === 'run' ? step.commands : []))).toEqual([
      'kubectl -n demo-a patch workspaces.opentofu.m.upbound.io/workspace --type=merge ' +
        `-p '{"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}}'`,
    ]);
  });

  it('unprotected: only the second commit is left, and the way that keeps protects again first', () => {
    const told = plan(liveNamespace({ spec: { retainBuckets: false } }));
    expect([told.stage, told.refused]).toEqual(['unprotected', false]);
    expect(commits(told, 'destroy-buckets')).toHaveLength(1);
    expect(commits(told, 'keep-everything')[0]).toBe('spec:\n  retainBuckets: true');
  });

  it('changing: the flag is off and the module protects still', () => {
    const live = liveNamespace();
    const told = plan(
      change(live, 'TofuWorkspace', xr => ({ ...withMetadata(xr, { generation: 4 }), spec: { retainBuckets: false } })),
    );
    expect([told.stage, against(told)]).toEqual(['changing', ['intent-settled']]);
    expect(check(told, 'intent-settled').evidence).toContain('status.observedGeneration 3, metadata.generation 4');
    expect(told.ways.map(({ refusedBy }) => refusedBy)).toEqual([[], ['intent-settled'], ['intent-settled']]);
  });

  it('without buckets: one commit', () => {
    const told = plan(liveNamespace({ schedules: [], buckets: {} }));
    expect([told.stage, told.refused, told.buckets]).toEqual(['without-buckets', false, []]);
    expect(told.ways.map(({ name }) => name)).toEqual(['without-buckets']);
    expect(commits(told, 'without-buckets')).toHaveLength(1);
  });

  it('retained: a bucket without a Schedule is in the plan, by its id', () => {
    const told = plan(liveNamespace({ schedules: [] }));
    expect(told.buckets).toEqual([{ name: BUCKET, id: BUCKET_ID, state: 'Retained', files: 'unknown' }]);
    expect([told.stage, told.refused]).toEqual(['protected', false]);
  });

  it('adopted: the entries leave in the first commit, since the API server refuses both', () => {
    const told = plan(liveNamespace({ spec: { adoptBuckets: [{ bucket: BUCKET, bucketId: BUCKET_ID }] } }));
    expect(commits(told, 'destroy-buckets')[0]).toMatch(/^# spec\.adoptBuckets goes in the same commit: demo-files/);
  });

  it.each(['Namespace', 'TofuWorkspace', 'Workspace'])('terminating: %s is being deleted', kind => {
    const told = plan(change(liveNamespace(), kind, object => withMetadata(object, DELETED)));
    expect([told.stage, told.refused, against(told)]).toEqual(['terminating', true, ['objects-there']]);
    expect(told.ways.map(({ name }) => name)).toEqual(['keep-everything', 'keep-buckets', 'destroy-buckets']);
    expect(told.ways.flatMap(({ steps }) => steps).filter(({ kind: step }) => step === 'commit')).toEqual([]);
    expect(JSON.stringify(told.ways[1])).toContain(`b2_bucket.backup[\\"${BUCKET}\\"]`);
  });

  const FINALIZERS = {
    ...DELETED,
    finalizers: ['finalizer.managedresource.crossplane.io', 'foregroundDeletion', 'example.org/other'],
  };
  const STAY = '"metadata":{"finalizers":["finalizer.managedresource.crossplane.io","example.org/other"]}';
  const patched = (patch: string): string =>
    `kubectl -n demo-a patch workspaces.opentofu.m.upbound.io/workspace --type=merge -p '${patch}'`;
  const KEPT = '"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}';

  it('terminating in the foreground: the finalizer goes with Delete in one patch, or last; the others stay', () => {
    const told = plan(change(liveNamespace(), 'Workspace', object => withMetadata(object, FINALIZERS)));
    expect(told.ways.map(({ name }) => name)).toEqual(['keep-everything', 'keep-buckets', 'destroy-buckets']);
    const [keep, ...others] = told.ways;
    expect(keep?.steps[0]).toMatchObject({ commands: [patched(`{${STAY},${KEPT}}`)] });
    for (const { steps } of others) expect(steps.at(-1)).toMatchObject({ commands: [patched(`{${STAY}}`)] });
  });

  it('terminating and paused: every way that the provider ends is unpaused last', () => {
    const annotations = { 'crossplane.io/paused': 'true' };
    const told = plan(
      change(liveNamespace(), 'Workspace', object => withMetadata(object, { ...FINALIZERS, annotations })),
    );
    const unpause = ['kubectl -n demo-a annotate workspaces.opentofu.m.upbound.io/workspace crossplane.io/paused-'];
    for (const name of ['keep-everything', 'destroy-buckets'])
      expect(told.ways.find(way => way.name === name)?.steps.at(-1)).toMatchObject({ commands: unpause });
    for (const way of told.ways)
      expect(JSON.stringify(way.steps)).toMatch(
        /annotate workspaces\.opentofu\.m\.upbound\.io\/workspace crossplane\.io\/paused-/,
      );
  });

  it('terminating without a known bucket: nothing says that there is none', () => {
    const same = (object: KubeObject): KubeObject => object;
    const waysWith = (buckets: Record<string, string> | undefined, alter = same): readonly string[] =>
      plan(
        change(liveNamespace({ schedules: [], buckets }), 'Workspace', object =>
          alter(withMetadata(object, FINALIZERS)),
        ),
      ).ways.map(({ name }) => name);
    expect(waysWith({})).toEqual(['without-buckets']);
    expect(waysWith(undefined)).toEqual(['keep-everything']);
    // A module of somebody else, a last apply that failed, a name that is none.
    expect(waysWith({}, object => ({ ...object, spec: { forProvider: { module: '' } } }))).toEqual(['keep-everything']);
    expect(waysWith({}, object => withSynced(object, { status: 'False' }))).toEqual(['keep-everything']);
    expect(waysWith({ 'no bucket': BUCKET_ID })).toEqual(['keep-everything']);
  });

  it('absent: says what is not there', () => {
    const told = plan([]);
    expect([told.stage, told.ways, told.refused]).toEqual(['absent', [], true]);
    expect(check(told, 'objects-there').evidence).toEqual(['Namespace demo-a is not there']);
  });
});

describe('planTeardown: what stands against it', () => {
  const released = liveNamespace({ schedules: [], spec: { releaseBuckets: [BUCKET] } });
  const cases: {
    name: string;
    reason: string;
    documents: readonly KubeObject[];
    more?: Partial<TeardownSources>;
    fails: readonly string[];
    says: RegExp;
    ways?: readonly (readonly string[])[];
  }[] = [
    {
      name: 'Releasing',
      reason: 'the bucket has left the block that protects it: nothing may be deleted, not even by the way that keeps',
      documents: released,
      fails: ['none-releasing'],
      says: /demo-files: .*Releasing/,
      ways: [['none-releasing'], ['none-releasing'], ['none-releasing']],
    },
    {
      name: 'Releasing, named by the module alone',
      reason: 'status and annotation can be lost; the removed blocks are what destroys',
      documents: change(
        change(released, 'TofuWorkspace', xr => ({
          ...xr,
          spec: {},
          status: { ...(xr['status'] as object), buckets: [] },
        })),
        'Workspace',
        workspace => withMetadata(workspace, { annotations: {} }),
      ),
      fails: ['none-releasing'],
      says: /removed blocks/,
    },
    {
      name: 'not Synced',
      reason: 'a destroy would fail as the apply does',
      documents: change(liveNamespace(), 'Workspace', workspace =>
        withSynced(workspace, { status: 'False', reason: 'ReconcileError' }),
      ),
      fails: ['workspace-synced'],
      says: /Synced False \(ReconcileError\)/,
      ways: [[], ['workspace-synced'], ['workspace-synced']],
    },
    {
      name: 'Synced for the generation before',
      reason: 'True of an older generation speaks of the module before this one',
      documents: change(liveNamespace(), 'Workspace', workspace =>
        withSynced(workspace, { status: 'True', observedGeneration: 2 }),
      ),
      fails: ['workspace-synced'],
      says: /of generation 2, metadata.generation 3/,
    },
    {
      name: 'paused',
      reason: 'a paused object is neither reconciled nor deleted',
      documents: change(liveNamespace(), 'Workspace', paused),
      fails: ['not-paused'],
      says: /Workspace demo-a\/workspace has the annotation/,
    },
    {
      name: 'refused by the function',
      reason: 'the first commit would not come through',
      documents: change(liveNamespace(), 'TofuWorkspace', xr => ({
        ...xr,
        status: {
          observedGeneration: 3,
          conditions: [{ type: 'IntentSettled', status: 'False', reason: 'InvalidDocument' }],
        },
      })),
      fails: ['intent-settled'],
      says: /IntentSettled False \(InvalidDocument\)/,
    },
    {
      name: 'no outputs',
      reason: 'nobody knows which buckets the state holds',
      documents: change(liveNamespace({ buckets: undefined }), 'Workspace', workspace =>
        withSynced(workspace, { status: 'True', observedGeneration: 3 }),
      ),
      fails: ['state-known'],
      says: /outputs.buckets is missing/,
    },
    {
      name: 'a bucket of the module that the outputs lack',
      reason: 'an apply that failed half-way may have made it',
      documents: liveNamespace({ schedules: [schedule('a', BUCKET), schedule('b', 'demo-photos')] }),
      fails: ['state-known'],
      says: /demo-photos: in the module, and not in the output/,
    },
    {
      name: 'a Usage that is not there',
      reason: 'its Secret could go before the destroy',
      documents: change(liveNamespace(), 'Usage', () => undefined, 'workspace-secret-tofu-encryption'),
      fails: ['held-by-usages'],
      says: /Secret tofu-encryption: no Usage holds it/,
    },
    {
      name: 'a Secret without the label',
      reason: 'Crossplane refuses the deletion of what carries it, and of nothing else',
      documents: change(liveNamespace(), 'Secret', object => withMetadata(object, { labels: {} }), 'tofu-encryption'),
      fails: ['held-by-usages'],
      says: /Secret tofu-encryption: it lacks the label crossplane.io\/in-use/,
    },
    {
      name: 'a Usage that core did not compose',
      reason: 'only with the label does it wait for the Workspace',
      documents: change(
        liveNamespace(),
        'Usage',
        object => withMetadata(object, { labels: {} }),
        'workspace-providerconfig',
      ),
      fails: ['held-by-usages'],
      says: /would not wait for the Workspace/,
    },
    {
      name: 'a Secret that is not there',
      reason: 'the provider connects to nothing without it',
      documents: change(liveNamespace(), 'Secret', () => undefined, 'tofu-workspace-b2-credentials'),
      fails: ['held-by-usages', 'secrets-there'],
      says: /Secret tofu-workspace-b2-credentials is not there/,
    },
    {
      name: 'another Workspace in the namespace',
      reason: 'it is destroyed with the namespace, and what it holds is not known here',
      documents: [
        ...liveNamespace(),
        {
          apiVersion: 'opentofu.m.upbound.io/v1beta1',
          kind: 'Workspace',
          metadata: { name: 'other', namespace: NAMESPACE },
        },
      ],
      fails: ['objects-there'],
      says: /Workspace demo-a\/other would go with the namespace/,
      ways: [['objects-there'], ['objects-there'], ['objects-there']],
    },
    {
      name: 'a module of another writer',
      reason: 'nobody here knows what its destroy takes',
      documents: change(liveNamespace(), 'Workspace', workspace => ({
        ...workspace,
        spec: { forProvider: { source: 'Inline', module: 'resource "b2_bucket" "b0" {}\n' } },
      })),
      fails: ['objects-there'],
      says: /was not written by this version/,
    },
    {
      name: "another namespace's outputs list the bucket",
      reason: 'two states own it, and emptying it by hand would empty it for both',
      documents: [...liveNamespace(), ...elsewhere(liveNamespace(), 'demo-b')],
      fails: ['claimed-by-nobody-else'],
      says: /demo-files: Workspace demo-b\/workspace \(status.atProvider.outputs.buckets\)/,
      ways: [[], [], ['claimed-by-nobody-else']],
    },
    {
      name: "another namespace's Schedule backs up to the bucket",
      reason: 'a Schedule without our label, with a key of its own, loses its backups all the same',
      documents: [
        ...liveNamespace(),
        scheduleWith(
          'weekly',
          { backup: { backend: { b2: { bucket: 'Demo-Files' } } } },
          { namespace: 'demo-b', labels: {} },
        ) as unknown as KubeObject,
      ],
      fails: ['claimed-by-nobody-else'],
      says: /demo-files: Schedule demo-b\/weekly \(spec.backup.backend.b2.bucket\)/,
    },
    {
      name: 'documents of this namespace alone',
      reason: 'what was left out cannot be told from what is not there',
      documents: liveNamespace(),
      more: { origin: 'some documents' },
      fails: ['claimed-by-nobody-else'],
      says: /may be of this namespace alone/,
    },
    {
      name: 'a key without deleteBuckets',
      reason: 'the destroy would fail at the buckets, after the keys and records went',
      documents: liveNamespace(),
      more: { key: key('listBuckets', 'writeBuckets') },
      fails: ['key-may-delete'],
      says: /it lacks deleteBuckets, according to B2/,
      ways: [[], [], ['key-may-delete']],
    },
    {
      name: 'a key of other buckets',
      reason: 'the capability does not reach this bucket',
      documents: liveNamespace(),
      more: {
        key: {
          kind: 'checked',
          source: 'B2',
          capabilities: new Set(['deleteBuckets']),
          restrictedTo: new Set(['f'.repeat(24)]),
        },
      },
      fails: ['key-may-delete'],
      says: /restricted to other buckets than demo-files/,
    },
    {
      name: 'B2 that was asked and did not say',
      reason: 'asked for is not the same as left out',
      documents: liveNamespace(),
      more: { key: { kind: 'unread', reason: 'no answer within 15 seconds' } },
      fails: ['key-may-delete'],
      says: /no answer within/,
    },
    {
      name: 'outputs of another shape',
      reason: 'half of a memory is none',
      documents: change(liveNamespace(), 'Workspace', workspace => ({
        ...workspace,
        status: { ...(workspace['status'] as object), atProvider: { outputs: { buckets: ['demo-files'] } } },
      })),
      fails: ['objects-there', 'state-known'],
      says: /expected a map of strings/,
    },
    {
      name: 'an output that is no name of a bucket',
      reason: 'names get into commands that people paste',
      documents: change(liveNamespace(), 'Workspace', workspace => ({
        ...workspace,
        status: { ...(workspace['status'] as object), atProvider: { outputs: { buckets: { "x'; rm -rf ~": 'id' } } } },
      })),
      fails: ['objects-there', 'state-known'],
      says: /no name of a bucket/,
    },
  ];

  it.each(cases)('$name: $reason', ({ documents, more, fails, says, ways }) => {
    const told = plan(documents, more);
    expect(against(told)).toEqual(fails);
    expect(told.refused).toBe(true);
    expect(fails.flatMap(name => check(told, name).evidence).join('\n')).toMatch(says);
    for (const name of fails) expect(check(told, name).fix).toBeTruthy();
    if (ways !== undefined) expect(told.ways.map(({ refusedBy }) => refusedBy)).toEqual(ways);
    for (const way of told.ways) expect(way.steps.length === 0).toBe(way.refusedBy.length > 0);
    expect(JSON.stringify(told.ways)).not.toContain('rm -rf');
  });

  it.each(['Usage', 'Secret', 'ProviderConfigUsage'] as const)(
    'a kind that could not be read: %s: nothing is planned',
    kind => {
      const own = { ...snapshotFromDocuments(liveNamespace()), [kind]: { kind: 'unreadable', reason: '403: no' } };
      const told = plan(liveNamespace(), { own });
      expect([told.stage, told.buckets, told.ways, told.order, against(told)]).toEqual([
        'unknown',
        [],
        [],
        [],
        ['kinds-read'],
      ]);
      expect(check(told, 'kinds-read').evidence).toEqual([`${kind} in demo-a: 403: no`]);
    },
  );

  it('a kind that could not be read in all namespaces: nothing is planned', () => {
    const all = {
      ...snapshotFromDocuments(liveNamespace()),
      Workspace: { kind: 'unreadable', reason: '403: no' },
    } as const;
    expect(check(plan(liveNamespace(), { all }), 'kinds-read').evidence).toEqual([
      'Workspace in all namespaces: 403: no',
    ]);
  });

  it('kinds that no plan leans on may be missing', () => {
    const own = {
      ...snapshotFromDocuments(liveNamespace()),
      HTTPRoute: { kind: 'unreadable', reason: '404' },
    } as const;
    expect(plan(liveNamespace(), { own }).refused).toBe(false);
  });
});

describe('planTeardown: what it tells', () => {
  it('holds: each thing that the destroy needs, by its Usage', () => {
    expect(plan(liveNamespace()).holds).toEqual([
      { object: 'ProviderConfig workspace', usage: 'workspace-providerconfig', faults: [] },
      { object: 'ProviderConfigUsage uid-workspace', usage: 'workspace-providerconfigusage', faults: [] },
      ...[
        'tofu-encryption',
        'tofu-workspace-b2-credentials',
        'tofu-workspace-netbird-credentials',
        'tofu-workspace-s3-credentials',
      ].map(name => ({ object: `Secret ${name}`, usage: `workspace-secret-${name}`, faults: [] })),
    ]);
  });

  it('order: TofuWorkspace, Workspace, Usages, what they held, the namespace', () => {
    const { order } = plan(liveNamespace());
    expect(order.map(line => /^\w+/.exec(line)?.[0])).toEqual([
      'TofuWorkspace',
      'Workspace',
      'Usages',
      'ProviderConfig',
      'Secrets',
      'Namespace',
    ]);
    expect(order[0]).toContain('Secret demo-files-b2');
    expect(order[1]).toMatch(/as the module is now it is refused/);
  });

  it('a key that may delete, and buckets that were looked into', () => {
    const told = plan(liveNamespace(), { key: key('deleteBuckets'), holdsFiles: new Map([[BUCKET_ID, true]]) });
    expect(check(told, 'key-may-delete').verdict).toBe('met');
    expect(told.buckets[0]?.files).toBe('some');
    expect(JSON.stringify(told.ways)).toContain('demo-files: holds files');
  });

  it('a provider that names no generation is believed, and it is said', () => {
    const told = plan(change(liveNamespace(), 'Workspace', workspace => withSynced(workspace, { status: 'True' })));
    expect(told.refused).toBe(false);
    expect(check(told, 'workspace-synced').evidence[0]).toMatch(/may speak of the module before/);
  });

  it('documents without Secrets: not checked, and nothing is refused for it', () => {
    const documents = change(liveNamespace(), 'Secret', () => undefined);
    const told = plan(documents, { origin: 'all documents' });
    expect([told.refused, check(told, 'secrets-there').verdict]).toEqual([false, 'unchecked']);
  });

  it('the same objects in another order make the same plan', () => {
    const documents = [...liveNamespace()];
    expect(plan(documents.toReversed())).toEqual(plan(documents));
  });

  it('no value of a Secret', () => {
    expect(JSON.stringify(plan(liveNamespace()))).not.toContain('U0VDUkVU');
  });
});
