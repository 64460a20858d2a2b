import {
  Ready,
  type Resource,
  RunFunctionRequest,
  RunFunctionResponse,
  Severity,
  Status,
  Target,
} from '@crossplane-org/function-sdk-typescript';
import { describe, expect, it } from 'vitest';
import type { Decision, Refused, Requirement, Settled, Waiting } from '../decision.ts';
import type { KubeObject } from '../kube.ts';
import { writeResponse } from './codec.ts';
import { isUnencodableError } from './encodable.ts';
import { encode, encodeFault } from './encode.ts';

const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map<string, Requirement>([
  [
    'schedules',
    {
      kind: 'labels',
      apiVersion: 'k8up.io/v1',
      objectKind: 'Schedule',
      namespace: 'demo-a',
      labels: new Map([['crossplane-workspace', 'true']]),
    },
  ],
  ['namespace', { kind: 'name', apiVersion: 'v1', objectKind: 'Namespace', namespace: undefined, name: 'demo-a' }],
]);

const WORKSPACE: KubeObject = { apiVersion: 'o/v1', kind: 'Workspace', metadata: { name: 'w' }, spec: { env: ['a'] } };
const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { a: 'b' } };
const COMPOSITE = { apiVersion: 'platform.kueber.eu/v1alpha1', kind: 'TofuWorkspace' };

const settled = (more: Partial<Settled> = {}): Settled => ({
  kind: 'settled',
  requirements: REQUIREMENTS,
  conditions: [],
  warnings: [],
  ttlSeconds: 300,
  resources: new Map([['workspace', { object: WORKSPACE, ready: undefined }]]),
  status: {},
  ...more,
});
const waiting = (more: Partial<Waiting> = {}): Waiting => ({
  kind: 'waiting',
  requirements: REQUIREMENTS,
  conditions: [],
  warnings: [],
  resources: new Map(),
  status: undefined,
  ...more,
});
const refused = (more: Partial<Refused> = {}): Refused => ({
  kind: 'refused',
  requirements: REQUIREMENTS,
  conditions: [],
  warnings: [],
  fatal: 'cannot read Schedule demo-a/nightly',
  ...more,
});

interface PartialDesired {
  readonly composite?: Partial<Resource>;
  readonly resources?: Record<string, Partial<Resource>>;
}

const makeRequest = (desired: PartialDesired = {}): RunFunctionRequest =>
  RunFunctionRequest.fromPartial({
    meta: { tag: 'tag' },
    observed: { composite: { resource: { ...COMPOSITE, metadata: { name: 'workspace' }, spec: {} } } },
    desired,
    context: { k: { v: [1] } },
  });

const FOREIGN = {
  composite: {
    resource: { status: { foreign: [1], shared: { old: true } } },
    connectionDetails: { user: Buffer.from('u') },
    ready: Ready.READY_TRUE,
  },
  resources: { other: { resource: OTHER, connectionDetails: { c: Buffer.from('d') }, ready: Ready.READY_FALSE } },
};

const overWire = (response: RunFunctionResponse): RunFunctionResponse =>
  RunFunctionResponse.decode(RunFunctionResponse.encode(response).finish());

describe('encode, meta', () => {
  it.each<{ decision: Decision; seconds: number; reason: string }>([
    { decision: settled(), seconds: 300, reason: 'the Input says so' },
    { decision: settled({ ttlSeconds: 0 }), seconds: 0, reason: 'zero is a value' },
    { decision: waiting(), seconds: 0, reason: 'a wait must not be cached' },
    { decision: refused(), seconds: 0, reason: 'a fault may be mended at any time' },
  ])('$decision.kind lives $seconds s: $reason', ({ decision, seconds }) => {
    expect(overWire(encode(makeRequest(), decision)).meta).toEqual({ tag: 'tag', ttl: { seconds, nanos: 0 } });
  });

  it.each([-1, 0.5, NaN, 2 ** 60])('refuses a lifetime of %d', ttlSeconds => {
    expect(() => encode(makeRequest(), settled({ ttlSeconds }))).toThrow(RangeError);
  });
});

describe('encode, requirements', () => {
  it.each<Decision>([settled(), waiting(), refused()])('are on every answer: $kind', decision => {
    expect(encode(makeRequest(), decision).requirements).toEqual({
      extraResources: {},
      schemas: {},
      resources: {
        namespace: {
          apiVersion: 'v1',
          kind: 'Namespace',
          matchName: 'demo-a',
          matchLabels: undefined,
          namespace: undefined,
        },
        schedules: {
          apiVersion: 'k8up.io/v1',
          kind: 'Schedule',
          matchName: undefined,
          matchLabels: { labels: { 'crossplane-workspace': 'true' } },
          namespace: 'demo-a',
        },
      },
    });
  });

  it('leave an absent namespace absent on the wire', () => {
    const resources = overWire(encode(makeRequest(), waiting())).requirements?.resources ?? {};
    expect(resources.namespace?.namespace).toBeUndefined();
    expect(resources.schedules?.namespace).toBe('demo-a');
  });

  it('never ask for every namespace', () => {
    const [, schedules] = [...REQUIREMENTS][0] ?? [];
    const everywhere = new Map([['schedules', { ...schedules, namespace: '' } as Requirement]]);
    expect(() => encode(makeRequest(), waiting({ requirements: everywhere }))).toThrow(/expected a namespace/);
  });
});

describe('encode, desired', () => {
  it('passes foreign objects, composite and context through and adds ours', () => {
    const response = encode(makeRequest(FOREIGN), settled());
    expect(response.desired?.resources).toEqual({
      other: FOREIGN.resources.other,
      workspace: { resource: WORKSPACE, connectionDetails: {}, ready: Ready.READY_UNSPECIFIED },
    });
    expect(response.desired?.composite).toEqual({
      ...FOREIGN.composite,
      resource: { ...COMPOSITE, status: FOREIGN.composite.resource.status },
    });
    expect(response.context).toEqual({ k: { v: [1] } });
  });

  it('assigns our objects, so that nothing of an earlier version stays or doubles', () => {
    const old = { ...WORKSPACE, spec: { env: ['a', 'b'], gone: true } };
    const request = makeRequest({ resources: { workspace: { resource: old, ready: Ready.READY_TRUE } } });
    expect(encode(request, settled()).desired?.resources.workspace).toEqual({
      resource: WORKSPACE,
      connectionDetails: {},
      ready: Ready.READY_UNSPECIFIED,
    });
  });

  it('assigns our status fields whole and keeps foreign ones', () => {
    const status = { shared: { fresh: true }, bucketCount: 2 };
    const composite = encode(makeRequest(FOREIGN), settled({ status })).desired?.composite;
    expect(composite?.resource?.status).toEqual({ foreign: [1], shared: { fresh: true }, bucketCount: 2 });
  });

  it('keeps the type that an earlier step gave the composite', () => {
    const request = makeRequest({ composite: { resource: { apiVersion: 'x/v1', kind: 'X' } } });
    expect(encode(request, settled()).desired?.composite?.resource).toEqual({ apiVersion: 'x/v1', kind: 'X' });
  });

  it('holds the composite back while waiting, and keeps our status as given', () => {
    const { composite } = encode(makeRequest(FOREIGN), waiting({ status: { bucketCount: 2 } })).desired ?? {};
    expect(composite?.ready).toBe(Ready.READY_FALSE);
    expect(composite?.resource?.status).toEqual({ ...FOREIGN.composite.resource.status, bucketCount: 2 });
  });

  it('writes no status where there is none', () => {
    expect(encode(makeRequest(), waiting()).desired?.composite?.resource).toEqual(COMPOSITE);
    expect(encode(makeRequest(), settled()).desired?.composite?.resource).toEqual(COMPOSITE);
  });

  it('changes nothing when refused', () => {
    const request = makeRequest(FOREIGN);
    expect(encode(request, refused()).desired).toEqual(request.desired);
    expect(encode(RunFunctionRequest.fromPartial({}), refused()).desired).toBeUndefined();
  });

  it.each([
    [true, Ready.READY_TRUE],
    [false, Ready.READY_FALSE],
    [undefined, Ready.READY_UNSPECIFIED],
  ])('says ready %s as %d', (ready, expected) => {
    const resources = new Map([['workspace', { object: WORKSPACE, ready }]]);
    expect(encode(makeRequest(), settled({ resources })).desired?.resources.workspace?.ready).toBe(expected);
  });

  it('gives the same bytes for any order of what came in and of our keys', () => {
    const [a, b] = [
      { object: WORKSPACE, ready: true },
      { object: { spec: WORKSPACE.spec, metadata: { name: 'w' }, kind: 'Workspace', apiVersion: 'o/v1' }, ready: true },
    ];
    const bytes = writeResponse;
    const one = encode(
      makeRequest({ resources: { x: {}, y: {} } }),
      settled({ resources: new Map([['k', a], ['l', b]]), status: { p: 1, q: { r: 1, s: 2 } } }), // prettier-ignore
    );
    const two = encode(
      makeRequest({ resources: { y: {}, x: {} } }),
      settled({ resources: new Map([['l', a], ['k', b]]), status: { q: { s: 2, r: 1 }, p: 1 } }), // prettier-ignore
    );
    expect(bytes(one)).toEqual(bytes(two));
  });

  it('keeps keys that objects inherit, and __proto__ as a resource key', () => {
    const keys = ['__proto__', 'constructor', 'toString'];
    const resources = new Map(keys.map(key => [key, { object: WORKSPACE, ready: undefined }]));
    expect(Object.keys(encode(makeRequest(), settled({ resources })).desired?.resources ?? {})).toEqual(keys);
  });

  it('throws for what the codec would drop, so inside our try', () => {
    const object = { ...WORKSPACE, spec: { forProvider: { module: undefined } } };
    const encodeBroken = (): unknown =>
      encode(makeRequest(), settled({ resources: new Map([['workspace', { object, ready: true }]]) }));
    expect(encodeBroken).toThrow('desired.resources.workspace.spec.forProvider.module');
    try {
      encodeBroken();
    } catch (error) {
      expect(isUnencodableError(error)).toBe(true);
    }
  });

  it('leaves the request as it was', () => {
    const request = makeRequest(FOREIGN);
    const before = structuredClone(request);
    encode(request, settled({ resources: new Map([['other', { object: WORKSPACE, ready: true }]]), status: { a: 1 } }));
    expect(RunFunctionRequest.encode(request).finish()).toEqual(RunFunctionRequest.encode(before).finish());
  });
});

describe('encode, words', () => {
  const target = Target.TARGET_COMPOSITE;

  it('puts the Fatal result first, then warnings', () => {
    expect(encode(makeRequest(), refused({ warnings: ['w'] })).results).toEqual([
      { severity: Severity.SEVERITY_FATAL, message: 'cannot read Schedule demo-a/nightly', target },
      { severity: Severity.SEVERITY_WARNING, message: 'w', target },
    ]);
    expect(encode(makeRequest(), settled()).results).toEqual([]);
  });

  it.each([
    ['True', Status.STATUS_CONDITION_TRUE],
    ['False', Status.STATUS_CONDITION_FALSE],
    ['Unknown', Status.STATUS_CONDITION_UNKNOWN],
  ] as const)('says condition status %s as %d', (status, expected) => {
    const conditions = [{ type: 'T', status, reason: 'R', message: 'm' }];
    expect(encode(makeRequest(), settled({ conditions })).conditions).toEqual([
      { type: 'T', status: expected, reason: 'R', message: 'm', target },
    ]);
  });
});

describe('encodeFault', () => {
  it('is Fatal, cannot be cached and changes nothing', () => {
    const request = makeRequest(FOREIGN);
    expect(encodeFault(request, 'why')).toEqual({
      meta: { tag: 'tag', ttl: { seconds: 0, nanos: 0 } },
      desired: request.desired,
      context: request.context,
      results: [{ severity: Severity.SEVERITY_FATAL, message: 'why', target: Target.TARGET_COMPOSITE }],
      conditions: [],
    });
  });
});
