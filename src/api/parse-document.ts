import type { z } from 'zod';
import { DocumentError, FieldError } from '../errors.ts';

/**
 * Parses an untrusted document by a schema. Messages of the schemas are the ends of "expected …";
 * this is where they become the sentence that users read.
 * @throws DocumentError with one fault per field, in document order
 */
export function parseDocument<T extends z.ZodType>(schema: T, value: unknown, document: string): z.output<T> {
  const result = schema.safeParse(value, { error: expectedByDefault });
  if (result.success) return result.data;
  const faults = new Map<string, FieldError>();
  for (const fault of result.error.issues.flatMap(issue => faultsOf(issue, value)))
    // The first fault of a field says what it must be; further ones would only repeat it.
    if (!faults.has(fault.path)) faults.set(fault.path, fault);
  throw new DocumentError(document, [...faults.values()]);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

function expectedByDefault(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map(value => String(value)).join(', ')}`;
    case 'too_small':
      return `${sizeWords(issue.origin)}at least ${issue.minimum}`;
    case 'too_big':
      return `${sizeWords(issue.origin)}at most ${issue.maximum}`;
    default:
      return 'something else';
  }
}

function sizeWords(origin: string): string {
  if (origin === 'array') return 'a list with a length of ';
  return origin === 'string' ? 'a string with a length of ' : 'a number of ';
}

function faultsOf(issue: z.core.$ZodIssue, document: unknown): FieldError[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map(key => faultAt([...issue.path, key], 'no field of this name', document));
    case 'invalid_key': {
      // The path ends in the key, and it is the key itself that is wrong.
      const expected = issue.issues[0]?.message ?? 'another key';
      return [new FieldError(printPath(issue.path.slice(0, -1)), expected, { value: issue.path.at(-1) })];
    }
    case 'custom': {
      const found: unknown = issue.params?.['found'];
      if (typeof found === 'string') return [new FieldError(printPath(issue.path), issue.message, { words: found })];
      return [faultAt(issue.path, issue.message, document)];
    }
    default:
      return [faultAt(issue.path, issue.message, document)];
  }
}

function faultAt(path: readonly PropertyKey[], expected: string, document: unknown): FieldError {
  let value = document;
  for (const step of path)
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[step]
        : undefined;
  return new FieldError(printPath(path), expected, { value });
}

/** `dns.zones[0]`, `selector.matchLabels["a.b/c"]`; the document itself is `the document`. */
export function printPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    const name = String(step);
    if (typeof step === 'number') text += `[${name}]`;
    else if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) text += `[${JSON.stringify(name)}]`;
    else text += text === '' ? name : `.${name}`;
  }
  return text === '' ? 'the document' : text;
}
