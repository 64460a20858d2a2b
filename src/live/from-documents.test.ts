import { describe, expect, it } from 'vitest';
import { snapshotFromDocuments } from './from-documents.ts';
import { LIVE_KIND_NAMES } from './snapshot.ts';

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    name: 'restic',
    namespace: 'paperless',
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"c2VjcmV0"}}',
      kept: 'yes',
    },
  },
  data: { password: 'c2VjcmV0' },
  stringData: { other: 'secret' },
};
const schedule = { apiVersion: 'k8up.io/v1', kind: 'Schedule', metadata: { name: 'backup', namespace: 'paperless' } };

describe('snapshotFromDocuments', () => {
  it('unpacks what kubectl prints as a List', () => {
    const { Schedule } = snapshotFromDocuments([{ apiVersion: 'v1', kind: 'List', items: [schedule, secret] }]);
    expect(Schedule).toEqual({ kind: 'objects', objects: [schedule] });
  });

  it('keeps the keys of a Secret and none of its values', () => {
    const { Secret } = snapshotFromDocuments([secret]);
    expect(Secret).toEqual({
      kind: 'objects',
      objects: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'Opaque',
          metadata: { name: 'restic', namespace: 'paperless', annotations: { kept: 'yes' } },
          data: { password: '' },
        },
      ],
    });
  });

  it('leaves out the same kind at another apiVersion, and has every kind', () => {
    const snapshot = snapshotFromDocuments([{ ...schedule, apiVersion: 'k8up.io/v2' }]);
    expect(Object.keys(snapshot)).toEqual(LIVE_KIND_NAMES);
    expect(snapshot.Schedule).toEqual({ kind: 'objects', objects: [] });
  });

  it('refuses what is no object', () => {
    expect(() => snapshotFromDocuments([{ kind: 'Schedule' }])).toThrow(/apiVersion: expected a non-empty string/);
  });
});
