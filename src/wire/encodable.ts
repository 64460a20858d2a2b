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
 * Refuses what a Struct does not carry as it is: undefined would vanish from maps and become null in lists, a Date
 * become `{}`, an integer above 2^53 be rounded.
 *
 * @param value of ours: what other steps desire passes through, whatever it is
 * @throws UnencodableError
 */
export function refuseUnencodable(value: object, path: string): void {
  const fault = findFault(value, 0);
  if (fault !== undefined) throw new UnencodableError(path + fault.path, fault.found);
}

interface Fault {
  /** From the value down; made on the way back, since nearly always there is none. */
  readonly path: string;
  readonly found: string;
}

function findFault(value: unknown, depth: number): Fault | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'string':
      return value.isWellFormed() ? undefined : HALF_PAIR;
    case 'number':
      return findFaultOfNumber(value);
    case 'object':
      if (value === null) return undefined;
      if (depth > MAX_DEPTH) return { path: '', found: `more than ${MAX_DEPTH} levels` };
      return Array.isArray(value) ? findFaultInList(value, depth) : findFaultInMap(value, depth);
    default:
      return { path: '', found: typeof value };
  }
}

const HALF_PAIR: Fault = { path: '', found: 'text with half a surrogate pair' };

function findFaultOfNumber(value: number): Fault | undefined {
  if (!Number.isFinite(value)) return { path: '', found: String(value) };
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { path: '', found: 'an integer beyond what a double holds exactly' };
  return undefined;
}

function findFaultInList(list: readonly unknown[], depth: number): Fault | undefined {
  // By index: a hole is visited too.
  for (let index = 0; index < list.length; index += 1) {
    const fault = findFault(list[index], depth + 1);
    if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
  }
  return undefined;
}

function findFaultInMap(map: object, depth: number): Fault | undefined {
  const prototype: unknown = Object.getPrototypeOf(map);
  if (prototype !== Object.prototype && prototype !== null)
    return { path: '', found: 'an instance of a class or a built-in type' };
  for (const key of Object.keys(map)) {
    const fault = findFault((map as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (fault !== undefined) return { ...fault, path: `.${key}${fault.path}` };
    if (!key.isWellFormed()) return HALF_PAIR;
  }
  return undefined;
}
