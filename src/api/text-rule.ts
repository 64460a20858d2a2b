import { z } from 'zod';

/** What a string must look like: the same rule for the run-time check, the CRD and other rooms. */
export interface TextRule {
  /** End of "expected …". */
  readonly expected: string;
  /** Anchored, and within what RE2 knows: the API server compiles it too. */
  readonly pattern: RegExp;
  readonly minLength?: number;
  readonly maxLength: number;
}

/** Returns what is expected where the text breaks the rule. */
export function checkText(rule: TextRule, text: string): string | undefined {
  const fits = text.length >= (rule.minLength ?? 1) && text.length <= rule.maxLength && rule.pattern.test(text);
  return fits ? undefined : rule.expected;
}

export function textSchema(rule: TextRule): z.ZodString {
  return z
    .string({ error: rule.expected })
    .min(rule.minLength ?? 1, { error: rule.expected })
    .max(rule.maxLength, { error: rule.expected })
    .regex(rule.pattern, { error: rule.expected });
}
