/** Positions of the members that repeat an earlier one. */
export function repeatedAt(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    if (seen.has(text)) return [index];
    seen.add(text);
    return [];
  });
}
