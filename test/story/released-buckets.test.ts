/** Hazard 3: giving a bucket up, from the wish to the evidence. */
import { describe, expect, it } from 'vitest';
import type { Settled } from '../../src/decision.ts';
import { applied, conditionOf, moduleOf, refuse, schedule, settle, xr } from '../fixtures/objects.ts';
import { blockOf, blocksOf, localMap } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const IN_STATE = { outputs: { buckets: { [BUCKET]: 'bucket-id' } } };
// As the module that forgets it leaves them: the release is that of the XR's generation 1.
const OUT_OF_STATE = { outputs: { buckets: {}, releases: { [BUCKET]: '1' } } };
const RELEASE = xr({ releaseBuckets: ['Demo-A-Backups'] });
const GUARD = 'resource "terraform_data" "guard"';

const wanted = settle({ schedules: [schedule('nightly', BUCKET)] });
const releasing = settle({ xr: RELEASE, observed: applied(wanted, IN_STATE) });

/** The XR with the status that a decision wrote. */
function withStatus(decision: Settled, spec: Parameters<typeof xr>[0]): ReturnType<typeof xr> {
  return xr(spec, { status: decision.status });
}

describe('hazard 3: releaseBuckets does not protect against destroy', () => {
  it('moves the instance out of the protected block and forgets it, in one apply', () => {
    const module = moduleOf(releasing);
    expect(localMap(module, 'buckets')).toEqual({});
    expect(blocksOf(module, 'moved')).toEqual([
      `moved {\n  from = b2_bucket.backup["${BUCKET}"]\n  to   = b2_bucket.released_${BUCKET}\n}`,
    ]);
    expect(blocksOf(module, 'removed')).toEqual([
      `removed {\n  from = b2_bucket.released_${BUCKET}\n\n  lifecycle {\n    destroy = false\n  }\n}`,
    ]);
    expect(releasing.status.buckets).toEqual([{ name: BUCKET, state: 'Releasing' }]);
  });

  it.each([true, false])('guards against a destroy in between, with retainBuckets %s', retainBuckets => {
    const decision = settle({
      xr: xr({ releaseBuckets: [BUCKET], retainBuckets }),
      observed: applied(wanted, IN_STATE),
    });
    expect(blockOf(moduleOf(decision), GUARD)).toBe(`${GUARD} {\n  lifecycle {\n    prevent_destroy = true\n  }\n}`);
  });

  it('tells to delete nothing meanwhile', () => {
    expect(conditionOf(releasing, 'BucketsScheduled')).toMatchObject({
      status: 'False',
      reason: 'Releasing',
      message: `being released: ${BUCKET} (delete nothing until they are Released)`,
    });
  });

  it.each([
    { name: 'OpenTofu still lists it', options: IN_STATE },
    { name: 'the apply failed', options: { ...OUT_OF_STATE, failure: 'apply failed' } },
    { name: 'nothing was applied yet', options: {} },
    { name: 'the outputs come from the module before', options: { outputs: { buckets: {} } } },
  ])('stays Releasing while $name', ({ options }) => {
    const decision = settle({
      xr: withStatus(releasing, { releaseBuckets: [BUCKET] }),
      observed: applied(releasing, options),
    });
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Releasing' }]);
    expect(blocksOf(moduleOf(decision), 'removed')).toHaveLength(1);
  });

  it('is Released by evidence, and then stands in no module; the guard goes with the last bucket', () => {
    const released = settle({
      xr: withStatus(releasing, { releaseBuckets: [BUCKET] }),
      observed: applied(releasing, OUT_OF_STATE),
    });
    expect(released.status.buckets).toEqual([{ name: BUCKET, state: 'Released' }]);
    expect(moduleOf(released)).not.toContain(BUCKET);
    expect(blockOf(moduleOf(released), GUARD)).toBeUndefined();
    expect(released.status.bucketCount).toBe(0);

    const later = settle({
      xr: withStatus(released, { releaseBuckets: [BUCKET] }),
      observed: applied(released, OUT_OF_STATE),
    });
    expect(later).toEqual(released);
  });

  it('is forgotten once its name leaves the list', () => {
    const released = settle({
      xr: withStatus(releasing, { releaseBuckets: [BUCKET] }),
      observed: applied(releasing, OUT_OF_STATE),
    });
    const decision = settle({ xr: withStatus(released, {}), observed: applied(released, OUT_OF_STATE) });
    expect(decision.status.buckets).toEqual([]);
    expect(moduleOf(decision)).not.toContain(BUCKET);
  });

  it('holds on to it when the name leaves the list before the release was applied', () => {
    const decision = settle({ xr: withStatus(releasing, {}), observed: applied(releasing, IN_STATE) });
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Retained' }]);
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
    expect(blocksOf(moduleOf(decision), 'removed')).toEqual([]);
  });

  it.each([BUCKET, BUCKET.toUpperCase()])('refuses a name that a Schedule wants, with both places (%s)', name => {
    const decision = refuse({ xr: xr({ releaseBuckets: [name] }), schedules: [schedule('nightly', BUCKET)] });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('WantedAndReleased');
    expect(decision.fatal).toBe(
      `bucket "${name}" is in spec.releaseBuckets and wanted by Schedule nightly (spec.backend.s3.bucket): take it out of one of the two`,
    );
  });

  it('refuses it, too, when the Schedule comes back later', () => {
    const scene = {
      xr: withStatus(releasing, { releaseBuckets: [BUCKET] }),
      observed: applied(releasing, OUT_OF_STATE),
    };
    expect(settle(scene).status.buckets).toEqual([{ name: BUCKET, state: 'Released' }]);
    expect(refuse({ ...scene, schedules: [schedule('nightly', BUCKET)] }).fatal).toContain('spec.releaseBuckets');
  });

  it('warns of a name that nothing remembers: a typo must be seen', () => {
    const decision = settle({ xr: xr({ releaseBuckets: ['demo-a-backupz'] }), observed: applied(wanted, IN_STATE) });
    expect(decision.warnings).toEqual(['spec.releaseBuckets: unknown bucket demo-a-backupz: nothing remembers it']);
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
  });

  it('lets a bucket that was released and wanted again be made or imported anew', () => {
    const released = settle({
      xr: withStatus(releasing, { releaseBuckets: [BUCKET] }),
      observed: applied(releasing, OUT_OF_STATE),
    });
    const decision = settle({
      xr: withStatus(released, {}),
      observed: applied(released, OUT_OF_STATE),
      schedules: [schedule('nightly', BUCKET)],
    });
    expect(decision.status.buckets).toEqual([{ name: BUCKET, state: 'Wanted', schedules: ['nightly'] }]);
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ [BUCKET]: BUCKET });
  });

  it('leaves the guard out where no bucket ever was: route-only namespaces tear down', () => {
    expect(blockOf(moduleOf(settle({})), GUARD)).toBeUndefined();
  });
});
