/** Labels and annotations with this prefix are ours. */
export const OWN_PREFIX = 'tofuworkspace.fn.kueber.eu/';

/** Marks what the function composes, so that it is recognised while its inputs are not there yet. */
export const COMPOSED_LABEL = `${OWN_PREFIX}composed`;
export const COMPOSED_LABELS: Readonly<Record<string, string>> = { [COMPOSED_LABEL]: 'true' };
