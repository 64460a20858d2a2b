import type { Json } from '../kube.ts';
import { setField } from './set-field.ts';

/** Far above any object of ours; a cycle must end in a clear error, not in a stack overflow. */
const MAX_DEPTH = 64;

/** A value of ours that a protobuf Struct cannot carry unchanged: always our own fault. */
export class UnencodableError extends Error {
  override readonly name = 'UnencodableError';
  readonly path: string;

  /** @param found words only, never the value: it can be a credential */
  constructor(path: string, found: string) {
    super(`${path}: expected a value that a protobuf Struct can carry, got ${found}`);
    this.path = path;
  }
}

export function isUnencodableError(error: unknown): error is UnencodableError {
  return error instanceof UnencodableError;
}

/**
 * Copies a value of ours with all keys sorted.
 *
 * The SDK encodes after our handler has returned, so outside its try, and it does not refuse what it
 * cannot carry: undefined vanishes from maps and becomes null in lists, a Date becomes `{}`, integers
 * above 2^53 are rounded. Here each is an error.
 *
 * @throws UnencodableError
 */
export function canonical(value: unknown, path: string, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new UnencodableError(path, `more than ${MAX_DEPTH} levels`);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return canonicalString(value, path);
  if (typeof value === 'number') return canonicalNumber(value, path);
  // Array.from visits holes, which map() would skip.
  if (Array.isArray(value)) return Array.from(value, (item, index) => canonical(item, `${path}[${index}]`, depth + 1));
  if (typeof value === 'object') return canonicalRecord(value, path, depth);
  throw new UnencodableError(path, typeof value);
}

/** Like {@link canonical} for a value that must be a map. */
export function canonicalRecord(value: object, path: string, depth = 0): Readonly<Record<string, Json>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new UnencodableError(path, 'an instance of a class or a built-in type');
  const copy: Record<string, Json> = {};
  // Without a comparison of its own, sort() is by UTF-16 code unit.
  for (const key of Object.keys(value).sort()) {
    const entry = canonical((value as Readonly<Record<string, unknown>>)[key], `${path}.${key}`, depth + 1);
    setField(copy, canonicalString(key, path), entry);
  }
  return copy;
}

function canonicalString(value: string, path: string): string {
  if (!value.isWellFormed()) throw new UnencodableError(path, 'text with half a surrogate pair');
  return value;
}

function canonicalNumber(value: number, path: string): number {
  if (!Number.isFinite(value)) throw new UnencodableError(path, String(value));
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new UnencodableError(path, 'an integer beyond what a double holds exactly');
  return value;
}
