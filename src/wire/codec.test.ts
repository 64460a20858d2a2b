import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMalformedRequestError, readRequest, writeResponse } from './codec.ts';

const encode = (request: object): Uint8Array =>
  RunFunctionRequest.encode(RunFunctionRequest.fromPartial(request)).finish();

/** A request whose only object is desired under `key` and holds `fields` as they are, ready encoded. */
function desire(key: string, fields: Uint8Array): Buffer {
  const writer = new BinaryWriter();
  // RunFunctionRequest.desired = 3, State.resources = 2, MapEntry key = 1, value = 2, Resource.resource = 1.
  writer.uint32(26).fork().uint32(18).fork();
  writer.uint32(10).string(key);
  writer.uint32(18).fork().uint32(10).bytes(fields);
  return Buffer.from(writer.join().join().join().finish());
}

/** Struct.fields = 1, MapEntry key = 1, value = 2, Value.string_value = 3. */
function field(key: string, text: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(10).fork().uint32(10).string(key).uint32(18).fork().uint32(26).bytes(text);
  return writer.join().join().finish();
}

/** The desired state of a response in the bytes that the request gave it. */
function passThrough(bytes: Uint8Array): Buffer {
  const request = readRequest(bytes);
  const response = { ...RunFunctionResponse.fromPartial({}), desired: request.desired };
  return writeResponse(response);
}

function nest(levels: number): object {
  let value: object = { leaf: 'x' };
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

const faultOf = (bytes: Uint8Array): unknown => {
  try {
    readRequest(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('readRequest', () => {
  it('reads what the SDK reads', () => {
    const bytes = encode({ meta: { tag: 't' }, input: { a: [1, null, 'ä😀', { b: true }] }, context: { c: {} } });
    expect(readRequest(bytes)).toEqual(RunFunctionRequest.decode(bytes));
  });

  it('reads and writes what the SDK does, whatever an object holds', () => {
    // The SDK loses `__proto__`, and has no word for `undefined`; both have tests of their own.
    const key = fc.string({ unit: 'binary', maxLength: 70 }).filter(name => name !== '__proto__');
    const { value: json } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(key, tie('value'), { maxKeys: 8 }),
      ),
    }));
    const resource = fc.record({
      resource: fc.dictionary(key, json, { maxKeys: 8 }),
      connectionDetails: fc.dictionary(
        key,
        fc.uint8Array({ minLength: 1, maxLength: 9 }).map(bytes => Buffer.from(bytes)),
      ),
      ready: fc.constantFrom(0, 1, 2),
    });
    const state = fc.record({ composite: resource, resources: fc.dictionary(key, resource, { maxKeys: 3 }) });
    const request = fc.record({ input: json, context: json, desired: state, observed: state }).map(parts => ({
      ...parts,
      input: { input: parts.input },
      context: { context: parts.context },
    }));
    fc.assert(
      fc.property(request, parts => {
        const bytes = encode(parts);
        const read = readRequest(bytes);
        expect(read).toEqual(RunFunctionRequest.decode(bytes));
        const response = { ...RunFunctionResponse.fromPartial({}), desired: read.desired, context: read.context };
        const written = writeResponse(response);
        const expected = RunFunctionResponse.encode(response).finish();
        expect(written.length).toBe(expected.length);
        expect(RunFunctionResponse.decode(written)).toEqual(RunFunctionResponse.decode(expected));
      }),
      { numRuns: 300 },
    );
  });

  it('writes the keys of a Struct sorted, at every level, and lists in their order', () => {
    const write = (context: Record<string, unknown>): string =>
      writeResponse({ ...RunFunctionResponse.fromPartial({}), context }).toString('latin1');
    const sorted = { a: { c: -0.5, d: true }, b: [{ a: null, z: 1 }, 'x'] };
    const expected = RunFunctionResponse.encode({ ...RunFunctionResponse.fromPartial({}), context: sorted }).finish();
    expect(write({ b: [{ z: 1, a: null }, 'x'], a: { d: true, c: -0.5 } })).toBe(
      Buffer.from(expected).toString('latin1'),
    );
    expect(write(JSON.parse('{"b": "1", "__proto__": "2"}') as Record<string, unknown>)).toMatch(/__proto__.*b/s);
  });

  it('takes text that is U+FFFD itself, and text that begins with a byte order mark', () => {
    const input = { a: 'x\ufffdy', '\ufffd': '\ufeffz' };
    expect(readRequest(encode({ input })).input).toEqual(input);
  });

  it('tells keys apart that fall into one place', () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]));
    expect(readRequest(encode({ input: { first: input, again: input } })).input).toEqual({
      first: input,
      again: input,
    });
  });

  it('steps over managedFields of what only we read, and over no other field of that name', () => {
    const managedFields = [{ manager: 'm' }];
    const object = { metadata: { name: 'n', managedFields }, data: { managedFields: 'kept' }, managedFields: 'kept' };
    const resources = { k: { resource: object } };
    const { observed, desired, requiredResources } = readRequest(
      encode({
        observed: { composite: { resource: object }, resources },
        desired: { resources },
        requiredResources: { r: { items: [{ resource: object }] } },
      }),
    );
    const read = { ...object, metadata: { name: 'n' } };
    expect(observed?.composite?.resource).toEqual(read);
    expect(observed?.resources.k?.resource).toEqual(read);
    expect(requiredResources.r?.items[0]?.resource).toEqual(read);
    expect(desired?.resources.k?.resource).toEqual(object);
  });

  it.each([
    ['a text longer than its message', [34, 4, 10, 2, 10, 9]],
    ['a number that ends behind its message', [34, 6, 10, 4, 18, 2, 17, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a field without a number', [0, 0]],
    ['the end of a group that never began', [12]],
  ])('refuses %s', (_, bytes) => {
    expect(isMalformedRequestError(faultOf(Uint8Array.from(bytes)))).toBe(true);
  });

  it.each([33, 34, 100, 300])('reads %d levels of JSON', levels => {
    const bytes = encode({ input: nest(levels) });
    expect(readRequest(bytes).input).toEqual(nest(levels));
  });

  it('refuses 400 levels, and then reads on as before', () => {
    expect(isMalformedRequestError(faultOf(encode({ input: nest(400) })))).toBe(true);
    expect(readRequest(encode({ input: nest(300) })).input).toEqual(nest(300));
  });

  it('reads siblings without end: only what lies in each other counts', () => {
    const list = Array.from({ length: 5000 }, () => ({ a: {} }));
    expect(readRequest(encode({ input: { list } })).input).toEqual({ list });
  });

  it.each([
    ['half a surrogate pair', Buffer.from('eda080', 'hex')],
    ['a lone continuation byte', Buffer.from('80', 'hex')],
    ['an overlong slash', Buffer.from('c0af', 'hex')],
  ])('refuses %s in place of UTF-8', (_, text) => {
    expect(isMalformedRequestError(faultOf(desire('k', field('a', text))))).toBe(true);
    expect(
      isMalformedRequestError(faultOf(desire('k', field('a', Buffer.concat([Buffer.alloc(99, 'x'), text]))))),
    ).toBe(true);
  });

  it('says no more than where it failed', () => {
    const bytes = encode({ input: { secret: 'S3CR3T' } }).subarray(0, -3);
    expect((faultOf(bytes) as Error).message).toMatch(/^cannot decode the request: /);
    expect((faultOf(bytes) as Error).message).not.toContain('S3CR');
  });
});

describe('a key named __proto__', () => {
  const text = Buffer.from('kept');

  it('passes through unchanged in an object, which the SDK alone loses', () => {
    const bytes = desire('k', Buffer.concat([field('__proto__', text), field('constructor', text)]));
    expect(passThrough(bytes)).toEqual(responseOf(bytes));
    expect(RunFunctionRequest.decode(bytes).desired?.resources.k?.resource).toEqual({ constructor: 'kept' });
  });

  it('passes through as the key of an object', () => {
    const bytes = desire('__proto__', field('a', text));
    expect(passThrough(bytes)).toEqual(responseOf(bytes));
  });

  it('passes through beside text that looks like it', () => {
    const looks = Buffer.from('__proto_0 __proto_1 \n\t__proto__');
    const bytes = desire('k', Buffer.concat([field('__proto__', looks), field('a', looks)]));
    expect(passThrough(bytes)).toEqual(responseOf(bytes));
  });

  it('gives no object another prototype', () => {
    const writer = new BinaryWriter();
    writer.uint32(10).fork().uint32(10).string('__proto__').uint32(18).fork().uint32(42).bytes(field('polluted', text));
    const request = readRequest(desire('k', writer.join().join().finish()));
    const object: unknown = request.desired?.resources.k?.resource;
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect((object as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('leaves the bytes of the request as they were', () => {
    const bytes = desire('__proto__', field('__proto__', text));
    const before = Buffer.from(bytes);
    passThrough(bytes);
    expect(bytes).toEqual(before);
  });

  /** Field 3 of a request and field 2 of a response: the same State. */
  function responseOf(request: Buffer): Buffer {
    const response = Buffer.from(request);
    response[0] = 18;
    return response;
  }
});
