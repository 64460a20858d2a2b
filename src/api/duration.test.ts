import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    { text: '5m', seconds: 300 },
    { text: '0s', seconds: 0 },
    { text: '1h30m', seconds: 5400 },
    { text: '90s', seconds: 90 },
    { text: '1m1m', seconds: 120 },
  ])('$text is $seconds seconds', ({ text, seconds }) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '5', '-1s', '5 minutes', '5M', '1.5h', '1d', 's', '5m '])('refuses %j', text => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  });
});
