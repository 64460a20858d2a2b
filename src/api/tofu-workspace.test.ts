import { describe, expect, it } from 'vitest';
import { isDocumentError } from '../errors.ts';
import { parseTofuWorkspace } from './tofu-workspace.ts';

const XR = {
  apiVersion: 'platform.kueber.eu/v1alpha1',
  kind: 'TofuWorkspace',
  metadata: { name: 'workspace', namespace: 'demo-a' },
  spec: {},
};

function messageOf(value: unknown): string {
  try {
    parseTofuWorkspace(value);
  } catch (error) {
    if (isDocumentError(error)) return error.message;
    throw error;
  }
  return 'no fault';
}

describe('parseTofuWorkspace', () => {
  it('retains buckets unless told otherwise (field report 23)', () => {
    expect(parseTofuWorkspace(XR)).toEqual({
      name: 'workspace',
      namespace: 'demo-a',
      uid: undefined,
      generation: undefined,
      spec: {
        stateBucket: undefined,
        retainBuckets: true,
        adoptBuckets: [],
        releaseBuckets: [],
        movedFrom: [],
        stateMigratedTo: undefined,
      },
      status: { buckets: [], records: [] },
    });
    expect(parseTofuWorkspace({ ...XR, spec: { retainBuckets: false } }).spec.retainBuckets).toBe(false);
  });

  it('reads everything that is asked for and remembered', () => {
    const parsed = parseTofuWorkspace({
      ...XR,
      metadata: { ...XR.metadata, uid: 'u-1', generation: 4, labels: { a: 'b' } },
      spec: { movedFrom: [{ address: 'b2_application_key.b0', bucket: 'Paperless-Backup' }], crossplane: {} },
      status: {
        selector: 7,
        buckets: [{ name: 'Paperless-Backup', state: 'Retained' }],
        records: [{ name: 'app.int.example.test', type: 'A', content: '100.64.0.10' }],
      },
    });
    expect([parsed.uid, parsed.generation]).toEqual(['u-1', 4]);
    expect(parsed.spec.movedFrom).toEqual([
      {
        address: [
          { kind: 'name', name: 'b2_application_key' },
          { kind: 'name', name: 'b0' },
        ],
        resource: 'b2_application_key',
        bucket: 'Paperless-Backup',
      },
    ]);
    // What is only shown, such as the selector, is never read back, so it can't be in doubt.
    expect(parsed.status).toEqual({
      buckets: [{ name: 'Paperless-Backup', state: 'Retained', schedules: [] }],
      records: [{ name: 'app.int.example.test', type: 'A', content: '100.64.0.10' }],
    });
  });

  it.each([
    {
      name: 'another name',
      reason: 'the message says why',
      value: { ...XR, metadata: { name: 'other', namespace: 'demo-a' } },
      message:
        'cannot read TofuWorkspace demo-a/other: metadata.name: expected "workspace" (a second TofuWorkspace in a namespace would claim the same buckets in another state), got string "other"',
    },
    {
      name: 'no namespace',
      reason: 'an empty one would mean all namespaces',
      value: { ...XR, metadata: { name: 'workspace' } },
      message:
        'cannot read TofuWorkspace workspace: metadata.namespace: expected a namespace (an empty one would mean all namespaces), got nothing',
    },
    {
      name: 'empty namespace',
      reason: 'protobuf writes absence as an empty string',
      value: { ...XR, metadata: { name: 'workspace', namespace: '' } },
      message:
        'cannot read TofuWorkspace workspace: metadata.namespace: expected a namespace (an empty one would mean all namespaces), got string ""',
    },
    {
      name: 'retainBuckets as a string',
      reason: 'field report 23',
      value: { ...XR, spec: { retainBuckets: 'false' } },
      message:
        'cannot read TofuWorkspace demo-a/workspace: spec.retainBuckets: expected true or false, got string "false"',
    },
    {
      name: 'adopted and released',
      reason: 'the place of the second',
      value: {
        ...XR,
        spec: {
          adoptBuckets: [{ bucket: 'Old-Backup', bucketId: '4a48fe8875c6214145260818' }],
          releaseBuckets: ['new-backup', 'old-backup'],
        },
      },
      message:
        'cannot read TofuWorkspace demo-a/workspace: spec.releaseBuckets[1]: expected a bucket that is not in adoptBuckets too, got string "old-backup"',
    },
    {
      name: 'adopted and not retained',
      reason: 'hazard 9',
      value: {
        ...XR,
        spec: { retainBuckets: false, adoptBuckets: [{ bucket: 'a-backup', bucketId: '4a48fe8875c6214145260818' }] },
      },
      message:
        'cannot read TofuWorkspace demo-a/workspace: spec.adoptBuckets: expected no bucket to adopt while retainBuckets is false (a wrong id would destroy the bucket), got a list of 1',
    },
    {
      name: 'memory in doubt',
      reason: 'a bucket must not be forgotten',
      value: { ...XR, status: { buckets: [{ name: 'a-backup', state: 'Gone' }] } },
      message:
        'cannot read TofuWorkspace demo-a/workspace: status.buckets[0].state: expected one of Wanted, Retained, Releasing, Released, got string "Gone"',
    },
    {
      name: 'memory in another case',
      reason: 'B2 knows one bucket of that name',
      value: { ...XR, status: { buckets: ['a-backup', 'A-backup'].map(name => ({ name, state: 'Retained' })) } },
      message:
        'cannot read TofuWorkspace demo-a/workspace: status.buckets[1].name: expected a bucket that is not in the list yet (names are compared without case), got string "A-backup"',
    },
    {
      name: 'nothing',
      reason: 'a request without XR',
      value: undefined,
      message: 'cannot read TofuWorkspace: the document: expected an object, got nothing',
    },
  ])('names the fault: $name, $reason', ({ value, message }) => {
    expect(messageOf(value)).toBe(message);
  });
});
