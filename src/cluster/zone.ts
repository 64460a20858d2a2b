/** The zone a name lies in: the longest that fits, or undefined. Both lower-case, without final dot. */
export function longestZone(name: string, zones: readonly string[]): string | undefined {
  return zones.filter(zone => name === zone || name.endsWith(`.${zone}`)).sort((a, b) => b.length - a.length)[0];
}
