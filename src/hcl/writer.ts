/**
 * Owns layout: indentation, line ends, and the alignment of `=` that `tofu fmt` wants.
 *
 * Lines are aligned when they follow each other directly and each holds a whole `name = value`.
 * A value that spans lines is not aligned and ends the run. The padding is written once the run has
 * ended, into the place kept for it, so that the work stays linear.
 */
export class Writer {
  private readonly parts: string[] = [];
  private depth = 0;
  private lines = 0;
  private run: { readonly padding: number; readonly width: number }[] = [];

  /** Starts a line: the indentation. */
  startLine(): void {
    this.parts.push('  '.repeat(this.depth));
  }

  write(text: string): void {
    this.parts.push(text);
  }

  endLine(): void {
    this.parts.push('\n');
    this.lines += 1;
  }

  /** An empty line; the alignment starts anew after it. */
  gap(): void {
    this.endRun();
    this.endLine();
  }

  indented(write: () => void): void {
    this.endRun();
    this.depth += 1;
    write();
    this.endRun();
    this.depth -= 1;
  }

  /** A line that is no assignment. */
  line(text: string): void {
    this.endRun();
    this.startLine();
    this.write(text);
    this.endLine();
  }

  /** `lead = <value>` up to, not including, the end of its last line. */
  assignment(lead: string, writeValue: () => void): void {
    const outer = this.run;
    const firstLine = this.lines;
    this.startLine();
    this.write(lead);
    const padding = this.parts.push('') - 1;
    this.write(' = ');
    this.run = [];
    writeValue();
    this.run = outer;
    if (this.lines === firstLine) this.run.push({ padding, width: lead.length });
    else this.endRun();
  }

  /** Ends a run of aligned lines and writes its padding. */
  private endRun(): void {
    const widest = this.run.reduce((width, entry) => Math.max(width, entry.width), 0);
    for (const { padding, width } of this.run) this.parts[padding] = ' '.repeat(widest - width);
    this.run = [];
  }

  /** Everything written so far. */
  toText(): string {
    this.endRun();
    return this.parts.join('');
  }
}
