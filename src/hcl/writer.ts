/**
 * Owns layout: indentation, line ends, and the alignment of `=` that `tofu fmt` wants.
 *
 * Lines are aligned when they follow each other directly and each holds a whole `name = value`.
 * A value that spans lines is not aligned and ends the run. The padding is written once the run has
 * ended, into the place kept for it, so that the work stays linear.
 */
export class Writer {
  private readonly parts: string[] = [];
  /** What each line begins with, for every depth up to the current one. */
  private readonly leads: string[] = [];
  private lead = '';
  private lines = 0;
  private run: Padding[] = [];

  /** Starts a line: the indentation. */
  startLine(): void {
    this.parts.push(this.lead);
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
    this.parts.push(this.lead.trimEnd());
    this.endLine();
  }

  /** @param by what lines begin with until the matching {@link outdent}, behind what they begin with now */
  indent(by = '  '): void {
    this.endRun();
    this.leads.push(this.lead);
    this.lead += by;
  }

  outdent(): void {
    this.endRun();
    this.lead = this.leads.pop() ?? '';
  }

  /** A line that is no assignment. */
  line(text: string): void {
    this.endRun();
    this.startLine();
    this.write(text);
    this.endLine();
  }

  /** `lead = ` at the start of a line. The value follows, then {@link endAssignment}. */
  beginAssignment(lead: string): Assignment {
    const begun = { outer: this.run, firstLine: this.lines, padding: this.parts.length + 2, width: lead.length };
    this.parts.push(this.lead, lead, '', ' = ');
    this.run = [];
    return begun;
  }

  /** Before the end of the value's last line. */
  endAssignment({ outer, firstLine, padding, width }: Assignment): void {
    this.run = outer;
    if (this.lines === firstLine) this.run.push({ padding, width });
    else this.endRun();
  }

  /** Ends a run of aligned lines and writes its padding. */
  private endRun(): void {
    if (this.run.length === 0) return;
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

/** The place that is kept for the padding behind a name. */
interface Padding {
  readonly padding: number;
  readonly width: number;
}

export interface Assignment extends Padding {
  readonly outer: Padding[];
  readonly firstLine: number;
}
