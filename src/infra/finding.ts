/**
 * Room infra: read what the trees of infra/ say and compare them where they agree by convention only (the seams).
 * In: texts of files and their names. Out: what they declare, each with its place, and findings that name both places.
 * May import: errors, kube, the tokens of hcl, yaml.
 * Must never: read a file, reach a network, or repair anything.
 */

/** Where something stands. */
export interface Place {
  /** As the caller named it. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Two files that do not agree, or one that does not say what it must. */
export interface Finding extends Place {
  readonly message: string;
}

/** `file:line: message`, the form that editors and terminals make a link of. */
export function printFinding({ file, line, message }: Finding): string {
  return `${file}:${line}: ${message}`;
}

export function printPlace({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** A file that a reader was given, with its name for messages. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}
