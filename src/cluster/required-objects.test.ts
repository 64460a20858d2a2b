import { describe, expect, it } from 'vitest';
import { route, schedule } from '../../test/fixtures/objects.ts';
import type { Requirement } from '../decision.ts';
import { pickRequired } from './required-objects.ts';
import { deriveRequirements, REQUIREMENT } from './requirements.ts';

const REQUIREMENTS = deriveRequirements('demo-a', { 'crossplane-workspace': 'true' }, true);

function requirement(key: string): Requirement {
  const found = REQUIREMENTS.get(key);
  if (found === undefined) throw new Error(`no requirement ${key}`);
  return found;
}

describe('requirements', () => {
  it('are API: their keys are remembered by core', () => {
    expect([...REQUIREMENTS.keys()]).toEqual(['namespace', 'routes', 'schedules']);
  });

  it('always carry the namespace, for both kinds', () => {
    for (const key of [REQUIREMENT.routes, REQUIREMENT.schedules])
      expect(requirement(key)).toMatchObject({ kind: 'labels', namespace: 'demo-a' });
  });

  it('leave routes out with DNS off: the kind may not exist, and that would fail the step', () => {
    expect([...deriveRequirements('demo-a', {}, false).keys()]).toEqual(['namespace', 'schedules']);
  });
});

describe('what came back', () => {
  it('is put aside where it was not asked for', () => {
    const { objects, foreign } = pickRequired(requirement('schedules'), [
      schedule('b', 'bucket-b'),
      schedule('stranger', 'bucket-x', { namespace: 'demo-b' }),
      schedule('unlabelled', 'bucket-y', { labels: {} }),
      { ...schedule('old', 'bucket-z'), apiVersion: 'k8up.io/v1alpha1' },
      route('web', []),
      schedule('a', 'bucket-a'),
    ]);
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(foreign).toBe(4);
  });

  it('is doubt where it has no identity: it could be a Schedule of ours', () => {
    expect(() => pickRequired(requirement('schedules'), [{ kind: 'Schedule' }])).toThrow('a required Schedule');
  });
});
