/** A command line or file that can't be worked with: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
