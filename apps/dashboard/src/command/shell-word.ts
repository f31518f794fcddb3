const PLAIN = /^[\w@%+=:,./-]+$/;
/** What a terminal or a shell takes for more than a letter, or shows in another place than it stands. */
const STEERING = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/**
 * A word as a shell takes it for nothing but itself. Who may name a role may call it `$(…)`: whoever copies a command
 * that the dashboard shows runs what it says and no more.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!STEERING.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${Array.from(text, escaped).join('')}'`;
}

function escaped(letter: string): string {
  if (letter === "'" || letter === '\\') return `\\${letter}`;
  if (!STEERING.test(letter)) return letter;
  const code = letter.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
