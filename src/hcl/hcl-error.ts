/** A value that HCL text cannot hold unchanged. `path` is where it stands, e.g. `locals.buckets["x"]`. */
export class HclError extends Error {
  override readonly name = 'HclError';
  readonly path: string;
  /** What is wrong, without the path. */
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}

export function isHclError(error: unknown): error is HclError {
  return error instanceof HclError;
}
