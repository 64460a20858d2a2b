import { checkText, type TextRule } from './text-rule.ts';

/**
 * Names of B2 buckets: 6 to 63 letters, digits and hyphens; `b2-` is reserved. B2 compares names
 * without case. The pattern has three branches because RE2 has no lookahead: what does not start
 * with b, what starts with b but not b2, and what starts with b2 but not b2-.
 */
export const BUCKET_NAME: TextRule = {
  expected: 'a B2 bucket name (6 to 63 letters, digits or hyphens, not starting with "b2-")',
  pattern:
    /^([AC-Zac-z0-9-][A-Za-z0-9-]{5,62}|[Bb][A-Za-z013-9-][A-Za-z0-9-]{4,61}|[Bb]2[A-Za-z0-9][A-Za-z0-9-]{3,60})$/,
  minLength: 6,
  maxLength: 63,
};

/** Returns what is expected where B2 would refuse the name. */
export function checkBucketName(name: string): string | undefined {
  return checkText(BUCKET_NAME, name);
}
