import type { TextRule } from './text-rule.ts';
import { checkText } from './text-rule.ts';

const SECONDS = new Map([
  ['h', 3600],
  ['m', 60],
  ['s', 1],
]);

/** Whole hours, minutes and seconds as Go writes them; fractions and smaller units have no use here. */
export const DURATION: TextRule = {
  expected: 'a duration such as "5m", "0s" or "1h30m"',
  pattern: /^([0-9]{1,6}[hms])+$/,
  maxLength: 20,
};

/**
 * Parses a duration to seconds.
 * @throws RangeError where it is none; the Input's schema has refused such a text before
 */
export function parseDuration(text: string): number {
  const expected = checkText(DURATION, text);
  if (expected !== undefined) throw new RangeError(`expected ${expected}, got ${JSON.stringify(text)}`);
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/([0-9]+)([hms])/g))
    seconds += Number(count) * (SECONDS.get(unit ?? '') ?? 0);
  return seconds;
}
