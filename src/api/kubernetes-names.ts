import { checkText, type TextRule } from './text-rule.ts';

/** Secrets that we refer to or compose. Kubernetes allows 253; names of Usages are derived from them. */
export const SECRET_NAME: TextRule = {
  expected: 'a Secret name (lower-case DNS-1123 subdomain, at most 200 characters)',
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  maxLength: 200,
};

/** Returns what is expected where the text is no Secret name we may use. */
export function checkSecretName(name: string): string | undefined {
  return checkText(SECRET_NAME, name);
}

/** Keys within a Secret: neither `.` nor `..`, nor anything that starts with two dots. */
export const SECRET_KEY: TextRule = {
  expected: 'a key of a Secret (letters, digits, "-", "_" or ".")',
  pattern: /^\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/,
  maxLength: 253,
};

export const NAMESPACE: TextRule = {
  expected: 'a namespace (an empty one would mean all namespaces)',
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  maxLength: 63,
};

export const LABEL_KEY: TextRule = {
  expected: 'a Kubernetes label key (optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" or ".")',
  pattern:
    /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
  // 253 of the prefix, the slash, 63 of the name.
  maxLength: 317,
};

/** May be empty. */
export const LABEL_VALUE: TextRule = {
  expected: 'a Kubernetes label value (at most 63 letters, digits, "-", "_" or ".")',
  pattern: /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/,
  minLength: 0,
  maxLength: 63,
};
