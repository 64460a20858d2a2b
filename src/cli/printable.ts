/** What others wrote must not move the cursor. */
export function printable(line: string): string {
  return line.trimEnd().replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}
