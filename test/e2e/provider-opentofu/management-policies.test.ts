import { describe, expect, it } from 'vitest';
import { ManagementPolicies } from './management-policies.ts';

describe('management policies', () => {
  it.each([
    { actions: undefined, create: true, update: true, destroy: true, paused: false, onlyObserve: false },
    { actions: ['*'], create: true, update: true, destroy: true, paused: false, onlyObserve: false },
    { actions: [], create: false, update: false, destroy: false, paused: true, onlyObserve: false },
    { actions: ['Observe'], create: false, update: false, destroy: false, paused: false, onlyObserve: true },
    // The documented way to keep the buckets.
    {
      actions: ['Observe', 'Create', 'Update', 'LateInitialize'],
      create: true,
      update: true,
      destroy: false,
      paused: false,
      onlyObserve: false,
    },
    { actions: ['Delete', 'Observe'], create: false, update: false, destroy: true, paused: false, onlyObserve: false },
  ])('$actions', ({ actions, create, update, destroy, paused, onlyObserve }) => {
    const policies = new ManagementPolicies(actions);
    expect(policies.fault).toBeUndefined();
    expect({
      create: policies.allows('Create'),
      update: policies.allows('Update'),
      destroy: policies.allows('Delete'),
      paused: policies.paused,
      onlyObserve: policies.onlyObserve,
    }).toEqual({ create, update, destroy, paused, onlyObserve });
  });

  it.each([[['Delete']], [['Create', 'Update']], [['*', 'Observe']]])('refuse %s', actions => {
    expect(new ManagementPolicies(actions).fault).toBe(
      `\`spec.managementPolicies\` is set to a value([${actions.join(' ')}]) which is not supported. Check docs for supported policies`,
    );
  });
});
