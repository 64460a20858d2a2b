import { OUTPUT } from '../intent/names.ts';
import { readStrings } from '../kube.ts';
import type { ApplicationKey } from './credentials-secret.ts';

/**
 * Reads the application keys from the Workspace's connection details, by bucket key. What is missing,
 * malformed or half there is left out: the Secret that exists then stays as it is (hazard 8).
 */
export function readApplicationKeys(details: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, ApplicationKey> {
  const ids = readMap(details.get(OUTPUT.applicationKeyIds));
  const secrets = readMap(details.get(OUTPUT.applicationKeys));
  const keys = new Map<string, ApplicationKey>();
  for (const [bucket, id] of ids) {
    const secret = secrets.get(bucket);
    if (id !== '' && secret !== undefined && secret !== '') keys.set(bucket, { id, secret });
  }
  return keys;
}

function readMap(detail: Uint8Array | undefined): ReadonlyMap<string, string> {
  if (detail === undefined) return new Map();
  try {
    return readStrings(JSON.parse(new TextDecoder().decode(detail)));
  } catch {
    // A SyntaxError quotes what it could not parse, which is a secret: it must not travel.
    return new Map();
  }
}
