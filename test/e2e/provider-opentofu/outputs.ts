/** OpenTofu's outputs as the provider shows them: in the connection Secret all, in the status those that are not secret. */
import type { Output } from '../../tofu/opentofu.ts';

export type ConnectionDetails = ReadonlyMap<string, string>;

/** Texts as they are, all else as JSON. */
export function connectionDetailsOf(outputs: readonly Output[]): ConnectionDetails {
  return new Map(outputs.map(({ name, value }) => [name, typeof value === 'string' ? value : printJson(value)]));
}

export function statusOutputsOf(outputs: readonly Output[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(outputs.filter(({ sensitive }) => !sensitive).map(({ name, value }) => [name, value]));
}

/** As Go prints JSON: keys sorted, and what HTML could take for markup escaped. */
function printJson(value: unknown): string {
  const sorted = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return sorted.replaceAll(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
