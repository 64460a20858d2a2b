import { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import { describe, expect, it } from 'vitest';
import { decode } from './decode.ts';

const fromWire = (request: RunFunctionRequest): RunFunctionRequest =>
  RunFunctionRequest.decode(RunFunctionRequest.encode(request).finish());

/** The SDK does not write `__proto__` in every place, so a name of the same length is replaced on the wire. */
function fromWireRenamed(request: RunFunctionRequest): RunFunctionRequest {
  const bytes = Buffer.from(RunFunctionRequest.encode(request).finish());
  const text = bytes.toString('latin1').replaceAll('__PROTO__', '__proto__');
  return RunFunctionRequest.decode(Buffer.from(text, 'latin1'));
}

const SCHEDULE = { apiVersion: 'k8up.io/v1', kind: 'Schedule', metadata: { name: 'nightly', namespace: 'demo-a' } };

describe('decode', () => {
  it('reads every part of a request', () => {
    const observation = decode(
      fromWire(
        RunFunctionRequest.fromPartial({
          meta: { tag: 't', capabilities: [1, 2, 3, 4, 5, 99] },
          input: { kind: 'Input' },
          observed: {
            composite: { resource: { kind: 'TofuWorkspace' } },
            resources: { w: { resource: { kind: 'Workspace' }, connectionDetails: { id: Buffer.from('x') } } },
          },
          desired: { resources: { other: { resource: { kind: 'ConfigMap' } } } },
          requiredResources: { schedules: { items: [{ resource: SCHEDULE }] } },
        }),
      ),
    );
    expect(observation).toEqual({
      input: { kind: 'Input' },
      composite: { kind: 'TofuWorkspace' },
      observed: new Map([
        ['w', { object: { kind: 'Workspace' }, connectionDetails: new Map([['id', Buffer.from('x')]]) }],
      ]),
      desired: new Map([['other', { kind: 'ConfigMap' }]]),
      required: new Map([['schedules', [SCHEDULE]]]),
      capabilities: new Set(['capabilities', 'required-resources', 'conditions']),
    });
  });

  it('reads an empty request as nothing at all', () => {
    expect(decode(RunFunctionRequest.decode(new Uint8Array()))).toEqual({
      input: undefined,
      composite: undefined,
      observed: new Map(),
      desired: new Map(),
      required: new Map(),
      capabilities: new Set(),
    });
  });

  it('keeps "not answered" and "answered with nothing" apart', () => {
    const { required } = decode(fromWire(RunFunctionRequest.fromPartial({ requiredResources: { schedules: {} } })));
    expect(required.get('schedules')).toEqual([]);
    expect(required.has('routes')).toBe(false);
  });

  it('ignores the deprecated extra resources: they answer a question that we never ask', () => {
    const extra = { schedules: { items: [{ resource: SCHEDULE }] } };
    expect(decode(fromWire(RunFunctionRequest.fromPartial({ extraResources: extra }))).required.size).toBe(0);
  });

  it('sorts keys, because core sends maps in random order', () => {
    const { observed } = decode(RunFunctionRequest.fromPartial({ observed: { resources: { b: {}, a: {}, B: {} } } }));
    expect([...observed.keys()]).toEqual(['B', 'a', 'b']);
  });

  it('does not write to the request', () => {
    const make = (): RunFunctionRequest =>
      fromWire(RunFunctionRequest.fromPartial({ desired: { resources: { a: { resource: SCHEDULE } } } }));
    const request = make();
    decode(request);
    expect(request).toEqual(make());
  });

  it('finds names that objects inherit only where they are sent', () => {
    const without = decode(fromWire(RunFunctionRequest.fromPartial({})));
    expect(without.required.has('constructor')).toBe(false);
    const sent = decode(
      fromWire(RunFunctionRequest.fromPartial({ requiredResources: { constructor: { items: [] }, toString: {} } })),
    );
    expect([...sent.required.keys()]).toEqual(['constructor', 'toString']);
  });

  describe('an entry named __proto__, which the SDK turns into a prototype', () => {
    it('adds nothing to maps, and leaves their other entries alone', () => {
      const resource = { resource: { kind: 'Evil' }, connectionDetails: { __PROTO__: Buffer.from('x') }, ready: 1 };
      const observation = decode(
        fromWireRenamed(
          RunFunctionRequest.fromPartial({
            observed: { resources: { __PROTO__: resource, good: resource } },
            desired: { resources: { __PROTO__: resource } },
            requiredResources: { __PROTO__: { items: [{ resource: SCHEDULE }] } },
          }),
        ),
      );
      expect([...observation.observed.keys()]).toEqual(['good']);
      expect(observation.observed.get('good')?.connectionDetails.size).toBe(0);
      expect(observation.desired.size).toBe(0);
      expect(observation.required.size).toBe(0);
    });

    it('adds no field to an object, nor to any other', () => {
      const { composite } = decode(
        fromWireRenamed(
          RunFunctionRequest.fromPartial({
            observed: {
              composite: { resource: { spec: { __PROTO__: { retainBuckets: false } }, __PROTO__: { a: 1 } } },
            },
          }),
        ),
      );
      expect(composite).toEqual({ spec: {} });
      expect((composite as { spec: { retainBuckets?: unknown } }).spec.retainBuckets).toBeUndefined();
      expect(({} as { retainBuckets?: unknown }).retainBuckets).toBeUndefined();
      expect(Object.getPrototypeOf(composite)).toBe(Object.prototype);
    });
  });
});
