import { gunzipSync } from 'node:zlib';

/** As provider-opentofu writes it: one line of what OpenTofu said, and then all of it, packed. */
const PACKED = /echo "([A-Za-z0-9+/]{1,65536}={0,2})" \| base64 -d \| gunzip/;

/** More than any error of OpenTofu; a small message could unpack to a very large one. */
const MAX_TEXT = 262_144;

/**
 * The full text that an error message of provider-opentofu carries; empty where there is none that can be read.
 * Its summary is the first "Error: …" line alone, and OpenTofu 1.10 has none for state that it can't decrypt.
 */
export function unpackError(message: string): string {
  const packed = PACKED.exec(message)?.[1];
  if (packed === undefined) return '';
  try {
    const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
    return new TextDecoder().decode(gunzipSync(bytes, { maxOutputLength: MAX_TEXT }));
  } catch {
    // Cut off, or not what it says: the summary has to do.
    return '';
  }
}
