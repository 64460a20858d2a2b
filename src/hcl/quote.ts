/**
 * Escaping of HCL strings, and of comment text: the single place that knows it.
 *
 * The result is printable ASCII. So what a reviewer sees is what OpenTofu reads (no bidirectional
 * controls, no look-alikes), and one character is one column, which the alignment relies on.
 */

const LONE_SURROGATE = /\p{Surrogate}/u;
const UNPRINTABLE = /[^ -~]/;
/** What most names have none of. */
const MAYBE_SPECIAL = /[^ -~]|["\\$%]/;

/**
 * Why HCL cannot hold this text unchanged; undefined where it can.
 *
 * HCL normalises every string to Unicode NFC and has no way to spell half a surrogate pair. Text
 * that would come out different is refused here: silently renamed is worse than refused.
 * NUL and other control characters do survive, as escapes.
 */
export function findUnquotable(text: string): string | undefined {
  if (!UNPRINTABLE.test(text)) return undefined;
  if (LONE_SURROGATE.test(text)) return 'expected text, got half of a surrogate pair, which HCL cannot hold';
  if (text !== text.normalize('NFC'))
    return 'expected text in Unicode normal form C, got another form, which HCL would change';
  return undefined;
}

/**
 * Spells text as a quoted HCL string that evaluates to exactly that text.
 * The caller has asked {@link findUnquotable} before.
 */
export function quote(text: string): string {
  if (!MAYBE_SPECIAL.test(text)) return `"${text}"`;
  // A function as replacement: in a replacement string "$$" would mean one dollar.
  return `"${text.replace(SPECIAL, escapeSpecial)}"`;
}

// The openers double their first character wherever they stand, also after another "$": HCL reads
// "$$${" as "$" and an escaped opener.
const SPECIAL = /["\\]|\$\{|%\{|[^ -~]/gu;

/**
 * Spells text as a part of a quoted string, without the quotes: what stands before or after it stays what it is. So
 * every character that could open a template together with a neighbour is an escape. For text that is checked as quote's.
 */
export function escapePart(text: string): string {
  return text.replace(SPECIAL_IN_PART, match => (/[$%{]/.test(match) ? escapeCodePoint(match) : escapeSpecial(match)));
}

const SPECIAL_IN_PART = /["\\$%{]|[^ -~]/gu;

function escapeSpecial(match: string): string {
  switch (match) {
    case '"':
    case '\\':
      return `\\${match}`;
    case '${':
      return '$${';
    case '%{':
      return '%%{';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default:
      return escapeCodePoint(match);
  }
}

function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/**
 * Splits text into comment lines (without the `# `). Nothing in it can end a comment early: every
 * line break starts a new comment line, every other unprintable character is shown as an escape.
 */
export function commentLines(text: string): readonly string[] {
  return text.split(/\r\n|\n/).map(line => line.replace(/[^ -~]/gu, escapeCodePoint).trimEnd());
}
