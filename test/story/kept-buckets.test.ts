/** A bucket that was once known is never destroyed by what goes missing. */
import { describe, expect, it } from 'vitest';
import type { Settled } from '../../src/decision.ts';
import type { ObservedObject } from '../../src/observation.ts';
import {
  applied,
  conditionOf,
  DNS_ON,
  input,
  moduleOf,
  refuse,
  route,
  schedule,
  scheduleWith,
  settle,
  xr,
  type Scene,
} from '../fixtures/objects.ts';
import { blockOf, localMap } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const OUTPUTS = { buckets: { [BUCKET]: 'bucket-id' } };
const LIFECYCLE = /lifecycle \{\n {4}prevent_destroy = (true|false)\n/;

/** One bucket, made and applied; then what the test changes. */
function thereafter(
  change: Scene,
  first: Scene = {},
  options: Parameters<typeof applied>[1] = { outputs: OUTPUTS },
): Settled {
  return settle({ ...change, observed: appliedOnce(first, options) });
}

function appliedOnce(
  first: Scene = {},
  options: Parameters<typeof applied>[1] = { outputs: OUTPUTS },
): ReadonlyMap<string, ObservedObject> {
  return applied(settle({ schedules: [schedule('nightly', BUCKET)], ...first }), options);
}

function protection(decision: Settled): string | undefined {
  return LIFECYCLE.exec(blockOf(moduleOf(decision), 'resource "b2_bucket" "backup"') ?? '')?.[1];
}

/** The observed objects, with the Workspace changed. */
function changeWorkspace(
  observed: ReadonlyMap<string, ObservedObject>,
  change: (workspace: { metadata: Record<string, unknown>; status: unknown }) => object,
): ReadonlyMap<string, ObservedObject> {
  return new Map(
    [...observed].map(([key, { object, connectionDetails }]) => {
      const workspace = object as { kind: string; metadata: Record<string, unknown>; status: unknown };
      return [key, { object: workspace.kind === 'Workspace' ? change(workspace) : object, connectionDetails }];
    }),
  );
}

function withoutAnnotations(observed: ReadonlyMap<string, ObservedObject>): ReadonlyMap<string, ObservedObject> {
  return changeWorkspace(observed, workspace => ({
    ...workspace,
    metadata: { ...workspace.metadata, annotations: { 'crossplane.io/external-name': 'workspace' } },
  }));
}

describe('field report 2: prevent_destroy vanishes with the block it sits in', () => {
  const gone: { name: string; schedules: readonly unknown[] }[] = [
    { name: 'deleted', schedules: [] },
    { name: 'without its label', schedules: [schedule('nightly', BUCKET, { labels: {} })] },
    { name: 'of another bucket', schedules: [schedule('nightly', 'other-bucket')] },
    {
      name: 'no longer at Backblaze',
      schedules: [scheduleWith('nightly', { backend: { azure: { container: BUCKET } } })],
    },
  ];
  it.each(gone)('keeps the bucket in its protecting block when its Schedule is $name', ({ schedules }) => {
    const decision = thereafter({ schedules });
    expect(localMap(moduleOf(decision), 'buckets')).toMatchObject({ [BUCKET]: BUCKET });
    expect(localMap(moduleOf(decision), 'application_keys')).not.toHaveProperty(BUCKET);
    expect(protection(decision)).toBe('true');
    expect(decision.status.buckets).toContainEqual({ name: BUCKET, state: 'Retained' });
  });

  it('names the bucket that lost its Schedule, and how to give it up', () => {
    expect(conditionOf(thereafter({ schedules: [] }), 'BucketsScheduled')).toEqual({
      type: 'BucketsScheduled',
      status: 'False',
      reason: 'Retained',
      message: `kept without a Schedule: ${BUCKET} (to give one up, add it to spec.releaseBuckets)`,
    });
  });

  it('has the protecting block where there never was a bucket', () => {
    const decision = settle({});
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({});
    expect(protection(decision)).toBe('true');
  });

  it('drops the protection, and nothing else, with retainBuckets off', () => {
    const on = moduleOf(thereafter({ schedules: [] }));
    const off = moduleOf(thereafter({ schedules: [], xr: xr({ retainBuckets: false }) }));
    expect(off).toBe(on.replaceAll('prevent_destroy = true', 'prevent_destroy = false'));
  });

  it('is given back its key when the Schedule comes back', () => {
    const without = thereafter({ schedules: [] });
    const back = settle({ schedules: [schedule('nightly', BUCKET)], observed: applied(without, { outputs: OUTPUTS }) });
    expect(moduleOf(back)).toBe(moduleOf(settle({ schedules: [schedule('nightly', BUCKET)] })));
  });
});

describe('field report 16: functions do not run once the XR is being deleted', () => {
  it('invents no form for deletion', () => {
    const scene = { schedules: [schedule('nightly', BUCKET)], routes: [route('web', ['app.int.example.test'])] };
    const deleting = xr({}, { metadata: { deletionTimestamp: '2026-11-01T08:00:00Z', finalizers: ['composite'] } });
    expect(settle({ ...scene, xr: deleting })).toEqual(settle(scene));
  });
});

describe('field report 21: lifecycle rules that B2 refuses', () => {
  it.each([
    { name: 'absent', lifecycle: {}, days: 30 },
    { name: '1', lifecycle: { daysFromHidingToDeleting: 1 }, days: 1 },
    { name: '90', lifecycle: { daysFromHidingToDeleting: 90 }, days: 90 },
  ])('writes a whole rule with the setting $name', ({ lifecycle, days }) => {
    const module = moduleOf(settle({ input: input({ backup: { lifecycle } }) }));
    expect(module).toContain(
      `  lifecycle_rules {\n    file_name_prefix             = ""\n    days_from_hiding_to_deleting = ${days}\n  }\n`,
    );
  });

  it.each([0, -1, 1.5, '30', null])('refuses %j with the field and what it takes', days => {
    const { fatal } = refuse({ input: input({ backup: { lifecycle: { daysFromHidingToDeleting: days } } }) });
    expect(fatal).toMatch(
      /^cannot read Input: backup\.lifecycle\.daysFromHidingToDeleting: expected a whole number of days, at least 1, got /,
    );
  });
});

describe('field report 23: buckets that cannot be deleted', () => {
  it.each([
    { name: 'absent', spec: {}, expected: 'true' },
    { name: 'true', spec: { retainBuckets: true }, expected: 'true' },
    { name: 'false', spec: { retainBuckets: false }, expected: 'false' },
  ])('protects with retainBuckets $name: $expected', ({ spec, expected }) => {
    const scene = { xr: xr(spec), schedules: [schedule('nightly', BUCKET)] };
    const decision = thereafter(scene, scene);
    expect(protection(decision)).toBe(expected);
    expect(blockOf(moduleOf(decision), 'resource "terraform_data" "guard"')).toContain(`prevent_destroy = ${expected}`);
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Wanted', schedules: ['nightly'] }]);
  });

  it.each(['false', 'true', '', 0, null])('refuses retainBuckets %j: only a boolean is one', value => {
    expect(refuse({ xr: xr({ retainBuckets: value }) }).fatal).toContain(
      'TofuWorkspace demo-a/workspace: spec.retainBuckets',
    );
  });
});

describe('invariant 3: a new Workspace may meet the state of one that was lost', () => {
  it('so retainBuckets off waits until OpenTofu has applied a module of ours, and says so', () => {
    const first = settle({ xr: xr({ retainBuckets: false }) });
    expect(protection(first)).toBe('true');
    expect(first.warnings.join()).toContain('spec.retainBuckets: false takes effect once OpenTofu has applied');
    expect(protection(settle({ xr: xr({ retainBuckets: false }), observed: applied(first) }))).toBe('true');
  });
});

describe('hazard 4: retainBuckets off turns a missing Schedule into a destroy', () => {
  it('keeps the bucket in for_each', () => {
    const decision = thereafter(
      { schedules: [], xr: xr({ retainBuckets: false }) },
      { xr: xr({ retainBuckets: false }) },
    );
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
    expect(protection(decision)).toBe('false');
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Retained' }]);
  });
});

describe('hazard 7: the default lifecycle rule reaches adopted and migrated buckets', () => {
  it('sets bucket settings at creation only', () => {
    expect(
      blockOf(moduleOf(settle({ schedules: [schedule('nightly', BUCKET)] })), 'resource "b2_bucket" "backup"'),
    ).toBe(
      `resource "b2_bucket" "backup" {
  for_each    = local.buckets
  bucket_name = each.value
  bucket_type = "allPrivate"

  lifecycle_rules {
    file_name_prefix             = ""
    days_from_hiding_to_deleting = 30
  }

  lifecycle {
    prevent_destroy = true
    ignore_changes = [
      bucket_info,
      bucket_type,
      cors_rules,
      default_server_side_encryption,
      file_lock_configuration,
      lifecycle_rules,
    ]
  }
}`,
    );
  });
});

describe('hazard 9: adoptBuckets can break or kill', () => {
  const id = '0123456789abcdef01234567';
  const adopting = xr({ adoptBuckets: [{ bucket: 'Old-Bucket', bucketId: id }] });

  it('puts an adopted bucket that no Schedule wants into for_each, as Retained', () => {
    const decision = settle({ xr: adopting });
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ 'old-bucket': 'Old-Bucket' });
    expect(blockOf(moduleOf(decision), 'import')).toBe(
      `import {\n  to = b2_bucket.backup["old-bucket"]\n  id = "${id}"\n}`,
    );
    expect(decision.status.buckets).toEqual([{ name: 'Old-Bucket', state: 'Retained' }]);
  });

  it("keeps the adopted bucket's spelling, whatever a Schedule calls it: another one would replace it", () => {
    const decision = settle({ xr: adopting, schedules: [schedule('nightly', 'OLD-BUCKET')] });
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ 'old-bucket': 'Old-Bucket' });
  });

  it('refuses an adoption with retainBuckets off: a wrong id would destroy that bucket', () => {
    const spec = { retainBuckets: false, adoptBuckets: [{ bucket: BUCKET, bucketId: id }] };
    expect(refuse({ xr: xr(spec) }).fatal).toContain(
      'spec.adoptBuckets: expected no bucket to adopt while retainBuckets is false',
    );
  });

  it('refuses a name that is adopted and released', () => {
    const spec = { adoptBuckets: [{ bucket: BUCKET, bucketId: id }], releaseBuckets: [BUCKET.toUpperCase()] };
    expect(refuse({ xr: xr(spec) }).fatal).toContain(
      'spec.releaseBuckets[0]: expected a bucket that is not in adoptBuckets too',
    );
  });
});

describe('hazard 10: memory of buckets', () => {
  const status = { status: { buckets: [{ name: BUCKET, state: 'Wanted', schedules: ['nightly'] }] } };
  const noOutputs = { failure: 'apply failed' };
  const places: { name: string; scene: Scene }[] = [
    { name: 'the outputs alone', scene: { observed: withoutAnnotations(appliedOnce()) } },
    { name: "the Workspace's annotation alone", scene: { observed: appliedOnce({}, noOutputs) } },
    { name: "the XR's status alone", scene: { xr: xr({}, status) } },
    { name: 'an adoption alone', scene: { xr: xr({ adoptBuckets: [{ bucket: BUCKET, bucketId: '0'.repeat(24) }] }) } },
  ];
  it.each(places)('keeps a bucket that $name remember(s)', ({ scene }) => {
    const decision = settle(scene);
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Retained' }]);
  });

  it('protects whatever the flag says when nothing is left that remembers', () => {
    const scene = { xr: xr({ retainBuckets: false }), observed: withoutAnnotations(appliedOnce({}, noOutputs)) };
    expect(protection(settle(scene))).toBe('true');
  });

  it.each([
    { name: 'a list', buckets: ['x'], says: 'outputs.buckets: expected a map of strings, got a list of 1' },
    { name: 'text', buckets: 'x', says: 'outputs.buckets: expected a map of strings, got string "x"' },
    {
      name: 'a map of numbers',
      buckets: { [BUCKET]: 7 },
      says: `outputs.buckets.${BUCKET}: expected a string, got number 7`,
    },
  ])('refuses an output that is $name: half a memory is none', ({ buckets, says }) => {
    const observed = changeWorkspace(appliedOnce(), workspace => ({
      ...workspace,
      status: { ...(workspace.status as object), atProvider: { outputs: { buckets } } },
    }));
    const decision = refuse({ observed });
    expect(decision.fatal).toContain(`cannot read Workspace demo-a/workspace: status.atProvider.${says}`);
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('UnreadableOutputs');
  });

  it('takes two spellings for one bucket, and the key in lower case', () => {
    const decision = settle({ schedules: [schedule('a', 'Foo-Bucket'), schedule('b', 'foo-bucket')] });
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ 'foo-bucket': 'foo-bucket' });
    expect(decision.status.buckets).toEqual([{ name: 'foo-bucket', state: 'Wanted', schedules: ['a', 'b'] }]);
  });

  it("keeps OpenTofu's spelling when a Schedule changes its own: bucket_name forces replacement", () => {
    const decision = thereafter({ schedules: [schedule('nightly', 'DEMO-A-backups')] });
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
  });

  it('says which instance a refused destroy is about, and how to remember it', () => {
    const failure = `async apply failed: Error: Instance cannot be destroyed: Resource b2_bucket.backup["${BUCKET}"] has lifecycle.prevent_destroy set`;
    const { message } = conditionOf(thereafter({}, {}, { outputs: OUTPUTS, failure }), 'WorkspaceApplied');
    expect(message).toContain(`would destroy bucket ${BUCKET}`);
    expect(message).toContain('add it to spec.adoptBuckets');
  });
});

describe('further fact: OpenTofu says prevent_destroy in two wordings', () => {
  it.each(['Instance cannot be destroyed', 'Resource instance cannot be destroyed'])('knows "%s"', words => {
    const decision = thereafter({}, {}, { outputs: OUTPUTS, failure: `async apply failed: Error: ${words}: ...` });
    expect(conditionOf(decision, 'WorkspaceApplied')).toMatchObject({ status: 'False', reason: 'PreventDestroy' });
  });
});

describe('further fact: a failing plan leaves the outputs in status as they were', () => {
  it('still remembers from them, and what the annotation adds', () => {
    const observed = appliedOnce(
      { schedules: [schedule('nightly', BUCKET), schedule('new', 'new-bucket')] },
      {
        outputs: OUTPUTS,
        failure: 'plan failed',
      },
    );
    expect(localMap(moduleOf(settle({ observed, input: input(DNS_ON) })), 'buckets')).toEqual({
      [BUCKET]: BUCKET,
      'new-bucket': 'new-bucket',
    });
  });
});
