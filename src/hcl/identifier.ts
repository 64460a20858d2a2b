/**
 * HCL allows all of Unicode's identifier characters; we keep to ASCII, where every reader agrees.
 * A hyphen may stand anywhere but first.
 */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** At the head of an expression these are not names: literals, and the start of a `for` expression. */
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'for']);

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** An identifier that stays one where an expression may begin. */
export function isVariableName(text: string): boolean {
  return isIdentifier(text) && !RESERVED.has(text);
}
