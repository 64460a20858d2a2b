import { parseAllDocuments } from 'yaml';
import { CaseError } from './case-error.ts';

/**
 * Reads every YAML document of a text; empty ones are left out.
 * @param where what the text is called, for the message
 * @throws CaseError where it is no YAML, with line and column
 */
export function parseDocuments(text: string, where: string): readonly unknown[] {
  const documents = parseAllDocuments(text);
  const list = 'empty' in documents ? [] : documents;
  return list
    .map(document => {
      const [error] = document.errors;
      if (error !== undefined) throw new CaseError(`${where}: ${error.message}`);
      return readValue(() => document.toJS() as unknown, where);
    })
    .filter(value => value !== null && value !== undefined);
}

/** An alias without an anchor, or one that unfolds to too much, is found only here. */
function readValue(read: () => unknown, where: string): unknown {
  try {
    return read();
  } catch (error) {
    throw new CaseError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
