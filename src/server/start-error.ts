/** Why the process does not start: one line for a human, and whose turn it is. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** `usage`: the command line or environment is wrong; `surroundings`: files, ports, addresses are. */
  readonly blame: 'usage' | 'surroundings';

  constructor(blame: 'usage' | 'surroundings', message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' '), options);
    this.blame = blame;
  }
}

export function isStartError(error: unknown): error is StartError {
  return error instanceof StartError;
}
