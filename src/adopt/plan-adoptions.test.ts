import { describe, expect, it } from 'vitest';
import {
  BUCKET,
  BUCKET_ID,
  change,
  elsewhere,
  liveNamespace,
  withMetadata,
} from '../../test/fixtures/live-namespace.ts';
import { input, schedule, scheduleWith, xr } from '../../test/fixtures/objects.ts';
import { parseInput } from '../api/input.ts';
import type { KubeObject } from '../kube.ts';
import { snapshotFromDocuments } from '../live/from-documents.ts';
import type { AdoptionPlan, AdoptionSources } from './adoption.ts';
import { planAdoptions } from './plan-adoptions.ts';

const PHOTOS = { name: 'Demo-Photos', id: 'aaaaaaaaaaaaaaaaaaaaaaaa' };
const ACCOUNT = [{ name: BUCKET, id: BUCKET_ID }, PHOTOS, { name: 'somebody-elses', id: 'b'.repeat(24) }];

function plan(documents: readonly unknown[], more: Partial<AdoptionSources> = {}): AdoptionPlan {
  const snapshot = snapshotFromDocuments(documents);
  return planAdoptions({
    namespace: 'demo-a',
    own: snapshot,
    all: snapshot,
    origin: 'api',
    input: parseInput(input()),
    account: ACCOUNT,
    chosen: [],
    ...more,
  });
}

/** A namespace whose buckets exist at Backblaze and in no state. */
function fresh(spec = {}, ...names: readonly string[]): readonly unknown[] {
  return [xr(spec), ...[BUCKET, ...names].map(name => schedule(name, name))];
}

describe('planAdoptions', () => {
  it('names the buckets of Schedules that exist, with the spelling and id of Backblaze', () => {
    expect(plan(fresh({}, 'demo-photos'))).toEqual({
      adoptBuckets: [
        { bucket: BUCKET, bucketId: BUCKET_ID },
        { bucket: 'Demo-Photos', bucketId: PHOTOS.id },
      ],
      added: 2,
      refusals: [],
      notes: [],
    });
  });

  it('keeps the entries that stand there already', () => {
    const before = { bucket: 'demo-older', bucketId: 'c'.repeat(24) };
    expect(plan(fresh({ adoptBuckets: [before] })).adoptBuckets).toEqual([
      before,
      { bucket: BUCKET, bucketId: BUCKET_ID },
    ]);
  });

  it('takes those that were chosen, whatever their case', () => {
    expect(plan(fresh({}, 'demo-photos'), { chosen: ['DEMO-PHOTOS'] }).adoptBuckets).toEqual([
      { bucket: 'Demo-Photos', bucketId: PHOTOS.id },
    ]);
  });

  it('before there is a TofuWorkspace', () => {
    const told = plan(fresh().slice(1));
    expect([told.added, told.notes]).toEqual([
      1,
      ['there is no TofuWorkspace in demo-a yet: the entries are for the one that you make'],
    ]);
  });

  const skipped: { name: string; documents: readonly unknown[]; says: RegExp }[] = [
    { name: 'in state already', documents: liveNamespace(), says: /this namespace's Workspace has it already/ },
    {
      name: 'in the list already',
      documents: fresh({ adoptBuckets: [{ bucket: BUCKET, bucketId: BUCKET_ID }] }),
      says: /already, as Backblaze shows it/,
    },
    {
      name: 'moved from an older module',
      documents: fresh({ movedFrom: [{ address: 'b2_bucket.b0', bucket: BUCKET }] }),
      says: /spec.movedFrom takes it over/,
    },
    {
      name: 'not in the account',
      documents: [xr(), schedule('a', 'demo-unmade')],
      says: /the account has no such bucket/,
    },
  ];
  it.each(skipped)('leaves out, and says so: $name', ({ documents, says }) => {
    const told = plan(documents);
    expect([told.adoptBuckets, told.added, told.refusals]).toEqual([[], 0, []]);
    expect(told.notes.join('\n')).toMatch(says);
  });

  it('ignores Schedules without the label, of another store, of another namespace', () => {
    const local = scheduleWith('minio', {
      backend: { s3: { endpoint: 'https://minio.local', bucket: 'Demo-Photos' } },
    });
    const told = plan([xr(), schedule('a', BUCKET, { labels: {} }), local]);
    expect([told.adoptBuckets, told.notes]).toEqual([[], []]);
  });

  const foreign = (edit: (workspace: KubeObject) => KubeObject): readonly KubeObject[] =>
    change(
      elsewhere(liveNamespace(), 'demo-b').filter(({ kind }) => kind === 'Workspace'),
      'Workspace',
      edit,
    );
  const outputless = (workspace: KubeObject): KubeObject => ({ ...workspace, status: {} });
  const refused: { name: string; documents: readonly unknown[]; more?: Partial<AdoptionSources>; says: RegExp }[] = [
    {
      name: "another Workspace's outputs list it",
      documents: [...fresh(), ...foreign(each => withMetadata(each, { annotations: {} }))],
      says: /demo-files: Workspace demo-b\/workspace speaks of it \(status.atProvider.outputs.buckets\)/,
    },
    {
      name: "another Workspace's module speaks of it, not applied yet",
      documents: [...fresh(), ...foreign(outputless)],
      says: /Workspace demo-b\/workspace speaks of it \(metadata.annotations/,
    },
    {
      name: 'another Workspace of this namespace',
      documents: [
        ...fresh(),
        ...change(liveNamespace(), 'Workspace', each => withMetadata(each, { name: 'older' })).filter(
          ({ kind }) => kind === 'Workspace',
        ),
      ],
      says: /Workspace demo-a\/older speaks of it/,
    },
    {
      name: "another writer's module has its name in the text",
      documents: [
        ...fresh(),
        ...foreign(each => ({
          ...outputless(each),
          metadata: { name: 'x', namespace: 'demo-b' },
          spec: { forProvider: { source: 'Inline', module: 'locals { b = "DEMO-FILES" }' } },
        })),
      ],
      says: /Workspace demo-b\/x speaks of it \(spec.forProvider.module\)/,
    },
    {
      name: 'another Workspace of ours lost its memory',
      documents: [...fresh(), ...foreign(each => withMetadata(outputless(each), { annotations: {} }))],
      says: /may hold any bucket: Workspace demo-b\/workspace has neither/,
    },
    {
      name: "another Workspace's outputs cannot be read",
      documents: [...fresh(), ...foreign(each => ({ ...each, status: { atProvider: { outputs: { buckets: [] } } } }))],
      says: /may hold any bucket: cannot read Workspace demo-b\/workspace/,
    },
    {
      name: 'another TofuWorkspace adopts it',
      documents: [
        ...fresh(),
        ...elsewhere(
          fresh({ adoptBuckets: [{ bucket: BUCKET, bucketId: BUCKET_ID }] }).slice(0, 1) as KubeObject[],
          'demo-b',
        ),
      ],
      says: /TofuWorkspace demo-b\/workspace speaks of it \(spec.adoptBuckets\)/,
    },
    {
      name: "another namespace's Schedule wants it",
      documents: [...fresh(), ...elsewhere([schedule('n', BUCKET) as unknown as KubeObject], 'demo-b')],
      says: /Schedule demo-b\/n speaks of it \(spec.backend.s3.bucket\)/,
    },
    {
      name: 'documents of some namespaces',
      documents: fresh(),
      more: { origin: 'some documents' },
      says: /--all-namespaces/,
    },
    { name: 'retainBuckets off', documents: fresh({ retainBuckets: false }), says: /spec.retainBuckets is false/ },
    { name: 'in releaseBuckets', documents: fresh({ releaseBuckets: [BUCKET] }), says: /in spec.releaseBuckets too/ },
    {
      name: 'another id in the list',
      documents: fresh({ adoptBuckets: [{ bucket: BUCKET, bucketId: 'd'.repeat(24) }] }),
      says: /has demo-files with id d{24}, and Backblaze shows demo-files with 4a48/,
    },
    {
      name: 'a name that no Schedule names',
      documents: fresh(),
      more: { chosen: ['somebody-elses'] },
      says: /somebody-elses: no labelled Schedule/,
    },
    {
      name: 'a Schedule that cannot be read',
      documents: [...fresh(), scheduleWith('bad', { backend: { b2: { bucket: 12345678 } } })],
      says: /cannot read Schedule demo-a\/bad/,
    },
    {
      name: 'a TofuWorkspace that is being deleted',
      documents: [xr({}, { metadata: { deletionTimestamp: 'x' } }), schedule('a', BUCKET)],
      says: /has been deleted already/,
    },
    {
      name: 'a Composition with other labels',
      documents: [xr({}, { status: { selector: 'backup=yes' } }), schedule('a', BUCKET)],
      says: /selects by backup=yes/,
    },
    {
      name: 'an account that lists a name twice',
      documents: fresh(),
      more: { account: [...ACCOUNT, { name: 'DEMO-FILES', id: 'e'.repeat(24) }] },
      says: /more than once/,
    },
  ];
  it.each(refused)('refuses, and names nothing at all: $name', ({ documents, more, says }) => {
    const told = plan([...documents, schedule('also', 'demo-photos')], more);
    expect([told.adoptBuckets, told.added]).toEqual([[], 0]);
    expect(told.refusals.join('\n')).toMatch(says);
  });

  it.each(['Workspace', 'TofuWorkspace', 'Schedule'] as const)(
    'refuses where %s could not be read in all namespaces',
    kind => {
      const all = { ...snapshotFromDocuments(fresh()), [kind]: { kind: 'unreadable', reason: '403: no' } };
      expect(plan(fresh(), { all }).refusals).toEqual([`${kind} in all namespaces could not be read: 403: no`]);
    },
  );

  it('a bucket that another namespace has released may be adopted', () => {
    const released = elsewhere(
      liveNamespace({ schedules: [], buckets: {}, spec: { releaseBuckets: [BUCKET] } }),
      'demo-b',
    ).map(object =>
      object.kind === 'TofuWorkspace'
        ? { ...object, status: { buckets: [{ name: BUCKET, state: 'Released' }] } }
        : object,
    );
    expect(plan([...fresh(), ...released]).added).toBe(1);
  });
});
