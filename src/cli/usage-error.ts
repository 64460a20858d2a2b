import { isCaseError } from '../case/case-error.ts';

/** A command line or file that can't be worked with: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Whoever named the files has to mend what they hold. */
export function blameCase<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isCaseError(error)) throw new UsageError(error.message);
    throw error;
  }
}
