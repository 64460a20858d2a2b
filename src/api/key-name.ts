import { checkText, type TextRule } from './text-rule.ts';

/** Names of B2 application keys. They need not be unique. */
export const KEY_NAME: TextRule = {
  expected: 'a B2 key name (at most 100 letters, digits or hyphens)',
  pattern: /^[A-Za-z0-9-]+$/,
  maxLength: 100,
};

/** Returns what is expected where B2 would refuse the name. */
export function checkKeyName(name: string): string | undefined {
  return checkText(KEY_NAME, name);
}
