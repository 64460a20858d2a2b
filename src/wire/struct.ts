/**
 * google.protobuf.Struct ⇄ plain values, in one step each way. The SDK makes a message of every value first, and an
 * object of every message: with that, its codec was the larger part of a call.
 */
import type { Reader } from './reader.ts';
import { setField } from './set-field.ts';
import type { Writer } from './writer.ts';

export type Struct = Record<string, unknown>;

/** Fields that are stepped over, by name: wholly, or down to the fields that are. */
export type Unread = ReadonlyMap<string, Unread | 'all'>;

const ENTRY = 10;
const ENTRY_KEY = 10;
const ENTRY_VALUE = 18;
const LIST_ITEM = 10;
const VALUE = { null: 8, number: 17, text: 26, bool: 32, struct: 42, list: 50 } as const;

/** Reads a Struct that ends at `end`. Of a key that comes twice the last counts, as everywhere in protobuf. */
export function readStruct(reader: Reader, end: number, unread?: Unread): Struct {
  reader.enter();
  const struct: Struct = {};
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ENTRY) readEntry(reader, reader.endOfField(end), { struct, unread });
    else reader.skipField(tag);
  }
  reader.close(end);
  reader.leave();
  return struct;
}

function readEntry(
  reader: Reader,
  end: number,
  { struct, unread }: { readonly struct: Struct; readonly unread: Unread | undefined },
): void {
  let key = '';
  let value: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ENTRY_KEY) key = reader.key();
    else if (tag === ENTRY_VALUE) {
      const inner = unread?.get(key);
      const endOfValue = reader.endOfField(end);
      if (inner === 'all') reader.pos = endOfValue;
      else value = readValue(reader, endOfValue, inner);
    } else reader.skipField(tag);
  }
  reader.close(end);
  if (value !== undefined) setField<unknown>(struct, key, value);
}

/** undefined where the value has no kind, which no writer leaves out. */
function readValue(reader: Reader, end: number, unread: Unread | undefined): unknown {
  let value: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag) {
      case VALUE.text:
        value = reader.string();
        break;
      case VALUE.struct:
        value = readStruct(reader, reader.endOfField(end), unread);
        break;
      case VALUE.list:
        value = readList(reader, reader.endOfField(end));
        break;
      case VALUE.bool:
        value = reader.bool();
        break;
      case VALUE.number:
        value = reader.double();
        break;
      case VALUE.null:
        reader.int32();
        value = null;
        break;
      default:
        reader.skipField(tag);
    }
  }
  reader.close(end);
  return value;
}

function readList(reader: Reader, end: number): unknown[] {
  reader.enter();
  const list: unknown[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === LIST_ITEM) list.push(readValue(reader, reader.endOfField(end), undefined) ?? null);
    else reader.skipField(tag);
  }
  reader.close(end);
  reader.leave();
  return list;
}

/** Writes what {@link readStruct} reads, the keys sorted: whatever order they came in, the bytes are the same. */
export function writeStruct(writer: Writer, struct: Readonly<Struct>): void {
  // Without a comparison of its own, sort() is by UTF-16 code unit.
  const keys = Object.keys(struct).sort();
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] as string;
    const entry = writer.length;
    const value = writer.length;
    writeValue(writer, struct[key]);
    writer.prefix(ENTRY_VALUE, value);
    if (key !== '') writeText(writer, ENTRY_KEY, key);
    writer.prefix(ENTRY, entry);
  }
}

function writeValue(writer: Writer, value: unknown): void {
  switch (typeof value) {
    case 'string':
      writeText(writer, VALUE.text, value);
      return;
    case 'number':
      writer.double(value);
      writer.varint(VALUE.number);
      return;
    case 'boolean':
      writer.varint(value ? 1 : 0);
      writer.varint(VALUE.bool);
      return;
    case 'object':
      writeObject(writer, value);
      return;
    default:
      throw new TypeError(`expected a value of JSON, got ${typeof value}`);
  }
}

function writeObject(writer: Writer, value: object | null): void {
  const since = writer.length;
  if (value === null) {
    writer.varint(0);
    writer.varint(VALUE.null);
  } else if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index -= 1) {
      const item = writer.length;
      writeValue(writer, value[index]);
      writer.prefix(LIST_ITEM, item);
    }
    writer.prefix(VALUE.list, since);
  } else {
    writeStruct(writer, value as Struct);
    writer.prefix(VALUE.struct, since);
  }
}

function writeText(writer: Writer, tag: number, text: string): void {
  const since = writer.length;
  writer.text(text);
  writer.prefix(tag, since);
}
