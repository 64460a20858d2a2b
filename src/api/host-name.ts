import type { TextRule } from './text-rule.ts';

/**
 * A lower-case DNS name without final dot: other spellings never converge in DNS providers (field
 * report 20). The last label starts with a letter, so an IP address is none.
 */
export const HOST_NAME: TextRule = {
  expected: 'a lower-case DNS name without final dot',
  pattern: /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
  maxLength: 253,
};
