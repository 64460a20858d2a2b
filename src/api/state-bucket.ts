import type { z } from 'zod';
import { textSchema } from './text-rule.ts';

/** Bucket of the state store, by the S3 rules. Named by the Input and, per namespace, by the XR. */
export function stateBucketSchema(): z.ZodString {
  const expected = 'an S3 bucket name (3 to 63 lower-case letters, digits, dots or hyphens, not an IP address)';
  return textSchema({
    expected,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    minLength: 3,
    maxLength: 63,
  })
    .refine(name => !/^[0-9]+(\.[0-9]+){3}$/.test(name), { error: expected })
    .meta({
      'x-kubernetes-validations': [
        { rule: "!self.matches('^[0-9]+([.][0-9]+){3}$')", message: `expected ${expected}` },
      ],
    });
}
