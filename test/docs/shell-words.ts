/** Commands of a shell text as lists of words, near enough to look up the names in them. `bash -n` judges the syntax. */

const HEREDOC = /(<<-?\s*(['"]?)(\w+)\2[^\n]*\n)[\s\S]*?\n\s*\3(?=\n|$)/g;
const WORD = /(?:[^\s"';&|()]|"(?:[^"\\]|\\.)*"|'[^']*')+|&&|\|\||[;&|()]|#/g;
const OPERATOR = /^(?:&&|\|\||[;&|()])$/;
const BEFORE_A_COMMAND = /^(?:do|then|else|if|while|until|!|sudo|exec|[A-Za-z_]\w*=.*)$/;

export function readCommands(text: string): readonly (readonly string[])[] {
  const plain = text.replace(HEREDOC, '$1').replace(/\\\n\s*/g, ' ');
  return plain.split('\n').flatMap(readLine);
}

/** Without a comment at its end. */
export function withoutComment(line: string): string {
  let at = 0;
  for (const { 0: word, index } of line.matchAll(WORD)) {
    if (word.startsWith('#') && (index === 0 || /\s/.test(line[index - 1] ?? ''))) return line.slice(0, index).trim();
    at = index + word.length;
  }
  return line.slice(0, at).trim();
}

function readLine(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [word] of withoutComment(line).matchAll(WORD))
    if (OPERATOR.test(word)) commands.push([]);
    else commands.at(-1)?.push(word);
  return commands.map(skipToCommand).filter(command => command.length > 0);
}

function skipToCommand(words: readonly string[]): readonly string[] {
  const start = words.findIndex(word => !BEFORE_A_COMMAND.test(word));
  return start === -1 ? [] : words.slice(start).map(unquote);
}

function unquote(word: string): string {
  return word.replace(/^(["'])(.*)\1$/, '$2');
}
