import type { AddressStep } from '../intent/intent.ts';
import { checkText, type TextRule } from './text-rule.ts';

/**
 * Addresses of bucket and key resources in an older module: `b2_bucket.b0`,
 * `module.backup["a"].b2_application_key.key[0]`. Anything else that an old module may hold is none
 * of ours to move. Index strings are plain on purpose: none of them needs an escape in HCL.
 */
export const RESOURCE_ADDRESS: TextRule = {
  expected:
    'the address of a b2_bucket or b2_application_key resource, such as b2_bucket.b0 or module.m.b2_bucket.b["x"]',
  pattern:
    /^(module\.[A-Za-z_][-A-Za-z0-9_]*(\[([0-9]{1,9}|"[-A-Za-z0-9 _.\/:@]*")\])?\.)*(b2_bucket|b2_application_key)\.[A-Za-z_][-A-Za-z0-9_]*(\[([0-9]{1,9}|"[-A-Za-z0-9 _.\/:@]*")\])?$/,
  maxLength: 512,
};

export interface ResourceAddress {
  readonly resource: 'b2_bucket' | 'b2_application_key';
  readonly steps: readonly AddressStep[];
}

/** Parses an address to its steps; undefined where it breaks the rule. */
export function parseResourceAddress(text: string): ResourceAddress | undefined {
  if (checkText(RESOURCE_ADDRESS, text) !== undefined) return undefined;
  const steps: AddressStep[] = [];
  for (const [, name, number, quoted] of text.matchAll(/([A-Za-z_][-A-Za-z0-9_]*)|\[([0-9]+)\]|\["([^"]*)"\]/g)) {
    if (name !== undefined) steps.push({ kind: 'name', name });
    else if (number !== undefined) steps.push({ kind: 'index', index: Number(number) });
    else if (quoted !== undefined) steps.push({ kind: 'index', index: quoted });
  }
  // The resource's type is the name before last; an index may follow the last one.
  const type = steps.filter(step => step.kind === 'name').at(-2)?.name;
  return { resource: type === 'b2_bucket' ? 'b2_bucket' : 'b2_application_key', steps };
}
