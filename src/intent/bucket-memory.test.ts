import { describe, expect, it } from 'vitest';
import { xr } from '../../test/fixtures/objects.ts';
import { parseTofuWorkspace } from '../api/tofu-workspace.ts';
import { readWorkspace, RELEASE_ANNOTATION, BUCKETS_ANNOTATION } from '../cluster/workspace.ts';
import { deriveBucketMemory, readWorkspaceMemory, type BucketMemory, type WorkspaceMemory } from './bucket-memory.ts';

function remember(
  spec: Readonly<Record<string, unknown>>,
  status: readonly { name: string; state: string }[],
  workspace: WorkspaceMemory | undefined,
): BucketMemory {
  return deriveBucketMemory(parseTofuWorkspace(xr(spec, { status: { buckets: status } })), workspace);
}

function workspace(memory: Partial<WorkspaceMemory>): WorkspaceMemory {
  return { outputs: undefined, annotated: undefined, synced: true, forgotten: new Set(), ...memory };
}

describe('names', () => {
  it('come from everything that remembers, spelled by the most trusted', () => {
    const { names } = remember(
      {
        adoptBuckets: [{ bucket: 'Adopted', bucketId: '4a48fe8875c6214145260818' }],
      },
      [
        { name: 'outputs-1', state: 'Wanted' },
        { name: 'STATUS-1', state: 'Retained' },
        { name: 'ADOPTED', state: 'Wanted' },
      ],
      workspace({
        synced: false,
        outputs: new Set(['Outputs-1']),
        annotated: new Map([
          ['OUTPUTS-1', 'Wanted'],
          ['Annotated-1', 'Wanted'],
        ]),
      }),
    );
    expect([...names]).toEqual([
      ['adopted', 'Adopted'],
      ['outputs-1', 'Outputs-1'],
      ['annotated-1', 'Annotated-1'],
      ['status-1', 'STATUS-1'],
    ]);
  });
});

describe('a move', () => {
  const spec = { movedFrom: [{ address: 'b2_bucket.b0', bucket: 'moved-1' }] };

  it('is remembered until it was applied; then the outputs know better', () => {
    const names = (memory: WorkspaceMemory | undefined): string[] => [...remember(spec, [], memory).names.keys()];
    expect(names(undefined)).toEqual(['moved-1']);
    expect(names(workspace({ outputs: new Set(), synced: false }))).toEqual(['moved-1']);
    expect(names(workspace({}))).toEqual(['moved-1']);
    // Our module is there and does not speak of it: the move came too late, and must not make a new bucket.
    expect(names(workspace({ outputs: new Set(), annotated: new Map(), synced: false }))).toEqual([]);
    // Before the first apply an entry is still in time.
    expect(names(workspace({ annotated: new Map() }))).toEqual(['moved-1']);
    expect(names(workspace({ outputs: new Set() }))).toEqual([]);
  });
});

describe('a bucket that was not moved yet', () => {
  const spec = { movedFrom: [{ address: 'b2_bucket.b0', bucket: 'Moved-1' }] };

  it('is told, unless its release has begun', () => {
    expect([...remember(spec, [], undefined).unmoved]).toEqual(['moved-1']);
    expect([...remember(spec, [], workspace({ annotated: new Map([['Moved-1', 'Retained']]) })).unmoved]).toEqual([
      'moved-1',
    ]);
    expect([...remember(spec, [], workspace({ annotated: new Map([['Moved-1', 'Releasing']]) })).unmoved]).toEqual([]);
    expect([...remember(spec, [{ name: 'Moved-1', state: 'Releasing' }], undefined).unmoved]).toEqual([]);
    expect([...remember(spec, [], workspace({ outputs: new Set(['Moved-1']) })).unmoved]).toEqual([]);
  });
});

describe('memory is proven', () => {
  const annotated = new Map([['bucket-1', 'Wanted']]);
  const cases: { name: string; workspace: WorkspaceMemory | undefined; proven: boolean }[] = [
    { name: 'no Workspace: it may meet the state of one that was lost', workspace: undefined, proven: false },
    { name: 'nothing applied yet', workspace: workspace({ annotated }), proven: false },
    { name: 'applied', workspace: workspace({ outputs: new Set() }), proven: true },
    {
      name: 'failing, with what we wrote since',
      workspace: workspace({ outputs: new Set(), annotated, synced: false }),
      proven: true,
    },
    {
      name: 'failing, and what we wrote is lost',
      workspace: workspace({ outputs: new Set(), synced: false }),
      proven: false,
    },
  ];
  it.each(cases)('$name: $proven', ({ workspace: memory, proven }) => {
    expect(remember({}, [], memory).proven).toBe(proven);
  });
});

describe('memory is lost', () => {
  it('only where a Workspace of ours exists and says nothing', () => {
    expect(remember({}, [], undefined).lost).toBe(false);
    expect(remember({}, [], workspace({})).lost).toBe(true);
    expect(remember({}, [], workspace({ annotated: new Map() })).lost).toBe(false);
    expect(remember({}, [], workspace({ outputs: new Set() })).lost).toBe(false);
  });
});

describe('released', () => {
  const releasing = new Map([['bucket-1', 'Releasing']]);
  const forgotten = new Set(['bucket-1']);
  const cases: {
    name: string;
    reason: string;
    workspace: WorkspaceMemory | undefined;
    status: string;
    released: boolean;
  }[] = [
    {
      name: 'Applied',
      reason: 'the module that forgets it was applied, and the outputs do not list it',
      workspace: workspace({ outputs: new Set(), annotated: releasing, forgotten }),
      status: 'Releasing',
      released: true,
    },
    {
      name: 'StillListed',
      reason: 'the outputs list it',
      workspace: workspace({ outputs: new Set(['BUCKET-1']), annotated: releasing, forgotten }),
      status: 'Releasing',
      released: false,
    },
    {
      name: 'NotApplied',
      reason: 'the module that forgets it was not applied',
      workspace: workspace({ outputs: new Set(), annotated: releasing }),
      status: 'Releasing',
      released: false,
    },
    {
      name: 'NoOutputs',
      reason: 'missing outputs prove nothing',
      workspace: workspace({ annotated: releasing, forgotten }),
      status: 'Releasing',
      released: false,
    },
    {
      name: 'OlderModule',
      reason: 'the module that is there does not forget it yet',
      workspace: workspace({ outputs: new Set(), annotated: new Map([['bucket-1', 'Retained']]) }),
      status: 'Releasing',
      released: false,
    },
    {
      name: 'LongSince',
      reason: 'status says so and nothing speaks of it any more',
      workspace: workspace({ outputs: new Set(), annotated: new Map() }),
      status: 'Released',
      released: true,
    },
    {
      name: 'Back',
      reason: 'status says so, and it is in state again',
      workspace: workspace({ outputs: new Set(['bucket-1']), annotated: new Map() }),
      status: 'Released',
      released: false,
    },
  ];
  it.each(cases)('$name: $reason', ({ workspace: memory, status, released }) => {
    const found = remember({}, [{ name: 'bucket-1', state: status }], memory);
    expect(found.released.has('bucket-1')).toBe(released);
    expect(found.names.has('bucket-1')).toBe(!released);
  });

  it('does not hold for a bucket that is adopted again', () => {
    const spec = { adoptBuckets: [{ bucket: 'bucket-1', bucketId: '4a48fe8875c6214145260818' }] };
    const found = remember(
      spec,
      [{ name: 'bucket-1', state: 'Released' }],
      workspace({ outputs: new Set(), annotated: new Map() }),
    );
    expect([...found.names.keys()]).toEqual(['bucket-1']);
  });
});

describe('forgotten', () => {
  interface Told {
    readonly annotated: Readonly<Record<string, string>>;
    readonly release: string | undefined;
    readonly releases: Readonly<Record<string, string>> | undefined;
    readonly synced: 'True' | 'False';
  }
  const TOLD: Told = {
    annotated: { 'Bucket-1': 'Releasing', 'bucket-2': 'Wanted' },
    release: '7',
    releases: { 'Bucket-1': '7', 'bucket-2': '7' },
    synced: 'True',
  };

  function forgotten({ annotated, release, releases, synced }: Told): string[] {
    const annotations = {
      [BUCKETS_ANNOTATION]: JSON.stringify(annotated),
      ...(release === undefined ? {} : { [RELEASE_ANNOTATION]: release }),
    };
    const outputs = { buckets: {}, ...(releases === undefined ? {} : { releases }) };
    const object = {
      apiVersion: 'opentofu.m.upbound.io/v1beta1',
      kind: 'Workspace',
      metadata: { name: 'workspace', annotations },
      status: { conditions: [{ type: 'Synced', status: synced }], atProvider: { outputs } },
    };
    return [...readWorkspaceMemory(readWorkspace(object)).forgotten];
  }

  it.each<{ name: string; told: Partial<Told>; expected: string[] }>([
    { name: 'what the applied release and the annotation name', told: {}, expected: ['bucket-1'] },
    { name: 'nothing while another release was applied last', told: { releases: { 'Bucket-1': '5' } }, expected: [] },
    { name: 'nothing while no release was applied', told: { releases: undefined }, expected: [] },
    { name: 'nothing where the module belongs to no release', told: { release: undefined }, expected: [] },
    { name: 'nothing where the apply failed', told: { synced: 'False' }, expected: [] },
    { name: 'nothing that the module holds', told: { annotated: { 'Bucket-1': 'Wanted' } }, expected: [] },
  ])('is $name', ({ told, expected }) => {
    expect(forgotten({ ...TOLD, ...told })).toEqual(expected);
  });
});
