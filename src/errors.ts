/**
 * Leaf words for faults in what users give us.
 *
 * A fault always says where, what was expected and what was found, so that a condition or a
 * Fatal result can be acted on without reading our source.
 */

const MAX_SHOWN = 64;

/**
 * Describes an untrusted value for an error message: its type and, for scalars, a shortened value.
 * Never throws and never prints `[object Object]`.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  switch (typeof value) {
    case 'string':
      return `string ${quoteShort(value)}`;
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${typeof value} ${String(value)}`;
    case 'object':
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}

/** Quotes a string for a message: JSON escapes, at most 64 characters, cut at a code point. */
export function quoteShort(text: string): string {
  const points = Array.from(text);
  return points.length <= MAX_SHOWN ? JSON.stringify(text) : `${JSON.stringify(points.slice(0, MAX_SHOWN).join(''))}…`;
}

/** A value in a document that is not what it must be. `path` is relative to the document. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly path: string;
  readonly expected: string;

  /**
   * @param path     field path within the document, e.g. `spec.backend.s3.bucket`
   * @param expected what would have been right, as the end of "expected …"
   * @param found    the value as found, or a ready sentence part made by {@link describeValue}
   */
  constructor(path: string, expected: string, found: { value: unknown } | { words: string }) {
    super(`${path}: expected ${expected}, got ${'words' in found ? found.words : describeValue(found.value)}`);
    this.path = path;
    this.expected = expected;
  }
}

export function isFieldError(error: unknown): error is FieldError {
  return error instanceof FieldError;
}

/** All faults of one document, so that a user fixes them in one go. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  /** Kind of the document, e.g. `Input` or `Schedule`. */
  readonly document: string;
  readonly faults: readonly FieldError[];

  /** @param document what is faulty, e.g. `Schedule demo-a/nightly`; outer words are prepended to each fault. */
  constructor(document: string, faults: readonly FieldError[]) {
    super(`cannot read ${document}: ${faults.map(fault => fault.message).join('; ')}`);
    this.document = document;
    this.faults = faults;
  }
}

export function isDocumentError(error: unknown): error is DocumentError {
  return error instanceof DocumentError;
}

/**
 * Doubt about buckets, Secrets or state: the decision is refused and what was last applied stays.
 * `reason` is the CamelCase reason of the condition that carries it.
 */
export class DoubtError extends Error {
  override readonly name = 'DoubtError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function isDoubtError(error: unknown): error is DoubtError {
  return error instanceof DoubtError;
}

/**
 * What was read; undefined where a document or a doubt stands against it, whose words are added to `faults`.
 * For those who tell all that is wrong instead of refusing at the first fault.
 */
export function keepFault<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDocumentError(error) && !isDoubtError(error)) throw error;
    faults.push(error.message);
    return undefined;
  }
}
