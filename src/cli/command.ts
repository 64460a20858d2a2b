/** A command of the command line: flags and a usage text of its own. */
export interface Command {
  /** What `--help` prints after the name of the command; ends with a line end. */
  readonly usage: string;
  /**
   * Data goes to stdout, talk to stderr.
   * @param args what stands behind the command's name
   * @returns the exit code; each command's usage says which there are
   * @throws UsageError where the command line or a file can't be worked with
   */
  run(args: readonly string[]): number | Promise<number>;
}
