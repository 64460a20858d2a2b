/** Documents that can't stand for a reconcile; the message says which and where. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
}

export function isCaseError(error: unknown): error is CaseError {
  return error instanceof CaseError;
}
