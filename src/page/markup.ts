/** A page as a tree. A string is text, never markup; what prints or mounts the tree spells it safely. */
export type Markup = string | MarkupElement;

export interface MarkupElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Markup[];
}

export function element(
  tag: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Markup[]
): MarkupElement {
  for (const [name, value] of Object.entries(attributes))
    // Scripts and links out of the page have no place here, whatever name ends up in an attribute.
    if (!/^[a-zA-Z][a-zA-Z-]*$/.test(name) || /^(on|style$|src)/.test(name) || (name === 'href' && !/^#/.test(value)))
      throw new Error(`a page must not have the attribute ${name}`);
  return { tag, attributes, children };
}

/**
 * Characters that are not seen, or that change how their neighbours are: controls but tab and newline, direction
 * marks, line separators, halves of surrogate pairs.
 */
const DECEIVING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Text in which what deceives is named: `⟨U+202E⟩`. */
export function spellOut(text: string): string {
  return text.replace(
    DECEIVING,
    character => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
