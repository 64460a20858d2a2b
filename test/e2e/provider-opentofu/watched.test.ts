import { describe, expect, it } from 'vitest';
import { ANNOTATION, type ApiObject, type Metadata } from './api.ts';
import { isDesireChanged } from './watched.ts';

function object(metadata: Partial<Metadata>): ApiObject {
  return { apiVersion: 'a', kind: 'Workspace', metadata: { name: 'demo', uid: 'u', generation: 1, ...metadata } };
}

describe('what is desired', () => {
  it.each([
    { name: 'only the status', now: { resourceVersion: '2' }, changed: false },
    { name: 'spec or deletion', now: { generation: 2 }, changed: true },
    { name: 'a label', now: { labels: { a: 'b' } }, changed: true },
    { name: 'an annotation', now: { annotations: { [ANNOTATION.paused]: 'true' } }, changed: true },
    {
      name: "the reconciler's own announcement",
      now: { annotations: { [ANNOTATION.createPending]: 'x' } },
      changed: false,
    },
    { name: 'its success', now: { annotations: { [ANNOTATION.createSucceeded]: 'x' } }, changed: true },
    { name: 'a finalizer', now: { finalizers: ['x'] }, changed: false },
  ])('changes with $name: $changed', ({ now, changed }) => {
    expect(isDesireChanged({ object: object(now), before: object({}) })).toBe(changed);
  });

  it('is new with a new object', () => {
    expect(isDesireChanged({ object: object({}), before: undefined })).toBe(true);
  });
});
