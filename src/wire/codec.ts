/* eslint-disable @typescript-eslint/no-unsafe-enum-assignment -- an enumeration on the wire is any number */
/**
 * Bytes ⇄ the SDK's messages. What holds Structs is read and written here, the small rest by the SDK's codec.
 *
 * Beside its speed the SDK's codec has three faults that this one has not (docs/security.md, "Hostile input"): a map
 * entry named `__proto__`, a legal key of a ConfigMap's or Secret's data, sets the prototype of the SDK's object and is
 * lost; text that is no UTF-8 becomes U+FFFD; and from 33 levels of JSON on nothing is read.
 */
import {
  type Capability,
  Ready,
  RunFunctionResponse,
  type Resource,
  type Resources,
  type RunFunctionRequest,
  type State,
} from '@crossplane-org/function-sdk-typescript';
import { Reader } from './reader.ts';
import { setField } from './set-field.ts';
import { readStruct, writeStruct, type Unread } from './struct.ts';
import { Writer } from './writer.ts';

/** Bytes that are no RunFunctionRequest. The message says where decoding failed and quotes nothing. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError';
}

export function isMalformedRequestError(error: unknown): error is MalformedRequestError {
  return error instanceof MalformedRequestError;
}

/** Of objects that only we read, and nobody gets back from us. Half of what an object weighs on the wire. */
const MANAGED_FIELDS: Unread = new Map([['metadata', new Map([['managedFields', 'all']])]]);

/**
 * Reads what the function reads. `extra_resources`, `credentials` and `required_schemas` stay empty: they are answers
 * to what we never ask for.
 * @throws MalformedRequestError
 */
export function readRequest(bytes: Uint8Array): RunFunctionRequest {
  try {
    return readMessage(new Reader(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new MalformedRequestError(`cannot decode the request: ${reason}`, { cause: error });
  }
}

const REQUEST = { meta: 10, observed: 18, desired: 26, input: 34, context: 42, requiredResources: 66 } as const;

function readMessage(reader: Reader): RunFunctionRequest {
  const request: RunFunctionRequest = {
    meta: undefined,
    observed: undefined,
    desired: undefined,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the message type insists on the field; it stays empty
    extraResources: {},
    credentials: {},
    requiredResources: {},
    requiredSchemas: {},
  };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag) {
      case REQUEST.meta:
        request.meta = readMeta(reader, reader.endOfField(reader.len));
        break;
      case REQUEST.observed:
        request.observed = readState(reader, reader.endOfField(reader.len), MANAGED_FIELDS);
        break;
      case REQUEST.desired:
        request.desired = readState(reader, reader.endOfField(reader.len), undefined);
        break;
      case REQUEST.input:
        request.input = readStruct(reader, reader.endOfField(reader.len));
        break;
      case REQUEST.context:
        request.context = readStruct(reader, reader.endOfField(reader.len));
        break;
      case REQUEST.requiredResources:
        readEntry(reader, reader.endOfField(reader.len), request.requiredResources, readResources);
        break;
      default:
        reader.skipField(tag);
    }
  }
  reader.close(reader.len);
  return request;
}

const META = { tag: 10, capability: 16, capabilities: 18 } as const;

function readMeta(reader: Reader, end: number): NonNullable<RunFunctionRequest['meta']> {
  const capabilities: Capability[] = [];
  let text = '';
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === META.tag) text = reader.string();
    else if (tag === META.capability) capabilities.push(reader.int32());
    else if (tag === META.capabilities) {
      const last = reader.endOfField(end);
      while (reader.pos < last) capabilities.push(reader.int32());
      reader.close(last);
    } else reader.skipField(tag);
  }
  reader.close(end);
  return { tag: text, capabilities };
}

const STATE = { composite: 10, resources: 18 } as const;

function readState(reader: Reader, end: number, unread: Unread | undefined): State {
  const state: State = { composite: undefined, resources: {} };
  const resource = (entry: Reader, endOfEntry: number): Resource => readResource(entry, endOfEntry, unread);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === STATE.composite) state.composite = readResource(reader, reader.endOfField(end), unread);
    else if (tag === STATE.resources) readEntry(reader, reader.endOfField(end), state.resources, resource);
    else reader.skipField(tag);
  }
  reader.close(end);
  return state;
}

const ENTRY = { key: 10, value: 18 } as const;

function readEntry<Value>(
  reader: Reader,
  end: number,
  into: Record<string, Value>,
  readValue: (reader: Reader, end: number) => Value,
): void {
  let key = '';
  let value: Value | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ENTRY.key) key = reader.string();
    else if (tag === ENTRY.value) value = readValue(reader, reader.endOfField(end));
    else reader.skipField(tag);
  }
  reader.close(end);
  if (value !== undefined) setField(into, key, value);
}

const RESOURCES_ITEM = 10;

function readResources(reader: Reader, end: number): Resources {
  const items: Resource[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === RESOURCES_ITEM) items.push(readResource(reader, reader.endOfField(end), MANAGED_FIELDS));
    else reader.skipField(tag);
  }
  reader.close(end);
  return { items };
}

const RESOURCE = { resource: 10, connectionDetails: 18, ready: 24 } as const;

function readResource(reader: Reader, end: number, unread: Unread | undefined): Resource {
  const resource: Resource = { resource: undefined, connectionDetails: {}, ready: Ready.READY_UNSPECIFIED };
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === RESOURCE.resource) resource.resource = readStruct(reader, reader.endOfField(end), unread);
    else if (tag === RESOURCE.connectionDetails)
      readEntry(reader, reader.endOfField(end), resource.connectionDetails, readBytes);
    // A later Crossplane's word for readiness passes through; none is negative.
    else if (tag === RESOURCE.ready) resource.ready = Math.max(0, reader.int32());
    else reader.skipField(tag);
  }
  reader.close(end);
  return resource;
}

/** A copy: the request's bytes are not held by what a decision keeps of them. */
function readBytes(reader: Reader, end: number): Buffer {
  return Buffer.from(reader.rest(end));
}

const RESPONSE = { desired: 18, context: 34 } as const;

/** Fields may stand in any order: what the SDK writes comes first. */
export function writeResponse(response: RunFunctionResponse): Buffer {
  const writer = new Writer();
  if (response.context !== undefined) {
    writeStruct(writer, response.context);
    writer.prefix(RESPONSE.context, 0);
  }
  if (response.desired !== undefined) {
    const since = writer.length;
    writeState(writer, response.desired);
    writer.prefix(RESPONSE.desired, since);
  }
  writer.bytes(RunFunctionResponse.encode({ ...response, desired: undefined, context: undefined }).finish());
  return writer.finish();
}

function writeState(writer: Writer, { composite, resources }: State): void {
  for (const [key, resource] of Object.entries(resources).reverse()) {
    const entry = writer.length;
    writeResource(writer, resource);
    writer.prefix(ENTRY.value, entry);
    writeKey(writer, key);
    writer.prefix(STATE.resources, entry);
  }
  if (composite === undefined) return;
  const since = writer.length;
  writeResource(writer, composite);
  writer.prefix(STATE.composite, since);
}

function writeResource(writer: Writer, { resource, connectionDetails, ready }: Resource): void {
  if (ready !== Ready.READY_UNSPECIFIED) {
    writer.varint(ready);
    writer.varint(RESOURCE.ready);
  }
  for (const [key, value] of Object.entries(connectionDetails).reverse()) {
    const entry = writer.length;
    writer.bytes(value);
    writer.prefix(ENTRY.value, entry);
    writeKey(writer, key);
    writer.prefix(RESOURCE.connectionDetails, entry);
  }
  if (resource === undefined) return;
  const since = writer.length;
  writeStruct(writer, resource);
  writer.prefix(RESOURCE.resource, since);
}

/** Protobuf leaves out what is empty. */
function writeKey(writer: Writer, key: string): void {
  if (key === '') return;
  const since = writer.length;
  writer.text(key);
  writer.prefix(ENTRY.key, since);
}
