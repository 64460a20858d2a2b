/** Wire bytes that no SDK would write. */
import { RunFunctionRequest } from '@crossplane-org/function-sdk-typescript';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { namespaceObject, observe, route, schedule, ZONE } from '../fixtures/objects.ts';
import { requestOf } from '../fixtures/requests.ts';

/** One Schedule, one route, and an object of another step: settles. */
export function settlingRequest(): RunFunctionRequest {
  const scene = observe({
    schedules: [schedule('nightly', 'demo-a-backup')],
    routes: [route('web', [`web.${ZONE}`])],
    namespaces: [namespaceObject()],
    desired: new Map([
      ['other', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { a: 'b' } }],
    ]),
  });
  return requestOf(scene);
}

export const encodeRequest = (request: RunFunctionRequest): Buffer =>
  Buffer.from(RunFunctionRequest.encode(request).finish());

type Value =
  | { readonly text: Uint8Array }
  | { readonly number: number }
  | { readonly fields: readonly (readonly [string, Value])[] };

/** A google.protobuf.Struct, with any key and any bytes in place of text. */
export function struct(fields: readonly (readonly [string, Value])[]): Buffer {
  const writer = new BinaryWriter();
  for (const [key, value] of fields)
    writer.uint32(10).fork().uint32(10).string(key).uint32(18).bytes(encodeValue(value)).join();
  return Buffer.from(writer.finish());
}

function encodeValue(value: Value): Uint8Array {
  const writer = new BinaryWriter();
  if ('text' in value) writer.uint32(26).bytes(value.text);
  else if ('number' in value) writer.uint32(17).double(value.number);
  else writer.uint32(42).bytes(struct(value.fields));
  return writer.finish();
}

/** A request with this as its only desired object: of a field that comes twice the SDK takes the last. */
export function desireOnly(request: Uint8Array, key: string, object: Uint8Array): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(26).fork().uint32(18).fork();
  writer.uint32(10).string(key);
  writer.uint32(18).fork().uint32(10).bytes(object);
  return Buffer.concat([request, writer.join().join().join().finish()]);
}

/** A request in which this alone was required under `key`: what a tenant of the namespace can write. */
export function requireOnly(request: RunFunctionRequest, key: string, object: Uint8Array): Buffer {
  const others = Object.fromEntries(Object.entries(request.requiredResources).filter(([name]) => name !== key));
  const writer = new BinaryWriter();
  // required_resources = 8: map<string, Resources>; Resources.items = 1; Resource.resource = 1.
  writer.uint32(66).fork().uint32(10).string(key).uint32(18).fork();
  writer.uint32(10).fork().uint32(10).bytes(object);
  const field = writer.join().join().join().finish();
  return Buffer.concat([encodeRequest({ ...request, requiredResources: others }), field]);
}
