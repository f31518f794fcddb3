/** One simple command of a script, and how it hangs on the one before. */
export interface ShellCommand {
  readonly after: ';' | '&&' | '||';
  readonly words: readonly string[];
  /** Written with `>&2`. */
  readonly toStderr: boolean;
}

const TOKEN = /\s+|&&|\|\||;|\n|>&2|1>&2|'[^']*'|"(?:[^"\\]|\\.)*"|(?:[^\s;&|'"\\>]|\\.)+|./gs;
const COMMANDS_MAX = 10_000;

/** Commands with `;`, `&&`, `||`, quotes and `>&2`: what a simulated container's shell knows of the language. */
export function parseScript(script: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let after: ShellCommand['after'] = ';';
  let words: string[] = [];
  let word: string | undefined;
  let toStderr = false;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (next: ShellCommand['after']): void => {
    endWord();
    if (words.length > 0 && commands.length < COMMANDS_MAX) commands.push({ after, words, toStderr });
    [after, words, toStderr] = [next, [], false];
  };
  for (const [token] of script.matchAll(TOKEN)) {
    if (token === ';' || token === '\n') endCommand(';');
    else if (token === '&&' || token === '||') endCommand(token);
    else if (/^\s/.test(token)) endWord();
    else if (token.endsWith('>&2')) toStderr = true;
    else word = (word ?? '') + unquote(token);
  }
  endCommand(';');
  return commands;
}

function unquote(token: string): string {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1);
  if (token.startsWith('"') && token.length > 1) return token.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1');
  return token.replaceAll(/\\(.)/gs, '$1');
}
