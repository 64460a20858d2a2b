/** Ids of headings as GitHub makes them, so that a link to a section holds there and on the site. */

/** Letters, marks, numbers and connectors of any script stay; so do hyphens. Blanks become hyphens, all else goes. */
const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** A new one for each document: the second heading of one name gets `-1`, the third `-2`. */
export function anchors(): (heading: string) => string {
  const used = new Map<string, number>();
  return heading => {
    const id = heading.trim().toLowerCase().replace(DROPPED, '').replaceAll(' ', '-');
    const before = used.get(id);
    used.set(id, (before ?? -1) + 1);
    return before === undefined ? id : `${id}-${before + 1}`;
  };
}
