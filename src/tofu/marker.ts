/** The first line of every module of ours: how we know our own text again (hazard 2). */
import { MODULE_LAYOUT } from '../intent/names.ts';

const MARKER = /^# function-tofu-workspace layout (0|[1-9][0-9]{0,8}): generated, do not edit\r?(?:\n|$)/;

/** Text of the marker comment, without the `# `. */
export const MARKER_TEXT = `function-tofu-workspace layout ${MODULE_LAYOUT}: generated, do not edit`;

/** Layout version of a module; undefined where we did not write it. */
export function readLayout(text: string): number | undefined {
  const version = MARKER.exec(text)?.[1];
  return version === undefined ? undefined : Number(version);
}
