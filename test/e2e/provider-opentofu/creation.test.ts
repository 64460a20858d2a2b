import { describe, expect, it } from 'vitest';
import { ANNOTATION, type ApiObject } from './api.ts';
import { creationTime, isCreationIncomplete, isCreationRecent } from './creation.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:00:10Z';

function object(annotations: Readonly<Record<string, string>>): ApiObject {
  return { apiVersion: 'v1', kind: 'Workspace', metadata: { name: 'demo', uid: 'u', annotations } };
}

describe('a creation', () => {
  it.each([
    { name: 'that never began', annotations: {}, incomplete: false },
    { name: 'that began', annotations: { [ANNOTATION.createPending]: EARLY }, incomplete: true },
    {
      name: 'that succeeded',
      annotations: { [ANNOTATION.createPending]: EARLY, [ANNOTATION.createSucceeded]: LATE },
      incomplete: false,
    },
    {
      name: 'that failed',
      annotations: { [ANNOTATION.createPending]: EARLY, [ANNOTATION.createFailed]: LATE },
      incomplete: false,
    },
    {
      name: 'that ended in the second in which it began',
      annotations: { [ANNOTATION.createPending]: EARLY, [ANNOTATION.createFailed]: EARLY },
      incomplete: false,
    },
    {
      name: 'that began anew after it failed',
      annotations: { [ANNOTATION.createPending]: LATE, [ANNOTATION.createFailed]: EARLY },
      incomplete: true,
    },
  ])('$name is incomplete: $incomplete', ({ annotations, incomplete }) => {
    expect(isCreationIncomplete(object(annotations))).toBe(incomplete);
  });

  it('is recent for half a minute', () => {
    const created = object({ [ANNOTATION.createSucceeded]: EARLY });
    expect(isCreationRecent(created, new Date('2026-01-01T00:00:29Z'))).toBe(true);
    expect(isCreationRecent(created, new Date('2026-01-01T00:00:30Z'))).toBe(false);
    expect(isCreationRecent(object({}), new Date(EARLY))).toBe(false);
  });

  it('has whole seconds', () => {
    expect(creationTime(new Date('2026-01-01T00:00:00.999Z'))).toBe(EARLY);
  });
});
