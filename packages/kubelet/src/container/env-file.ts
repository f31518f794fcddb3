import { CatalogueError } from '@binnacle/base';

const LINE_CHARACTERS_MAX = 64 * 1024;

/** A file of environment variables cannot be read; the line is counted from 1. */
export class EnvFileError extends CatalogueError {
  constructor(line: number, why: string) {
    super('env-file', `invalid environment variable format at line ${line}: ${why}`, { facts: { line } });
  }
}

/**
 * The value of a variable in a file of `NAME='value'` lines; undefined where it is not in it. Values stand in single
 * quotes and mean what they say, over several lines too; `#` begins a comment. As a shell reads it, nothing is assigned
 * where a blank follows the `=`. What is wrong behind the variable does not matter. Throws EnvFileError.
 */
export function variableInFile(text: string, name: string): string | undefined {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lineAt(lines, at).replace(/^[ \t]+/, '');
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    checkName(line, equals, at + 1);
    const isWanted = line.slice(0, equals) === name;
    const value = line.slice(equals + 1);
    if (value === '' || !/^[ \t]/.test(value)) {
      const quoted = readQuoted(lines, { at, rest: value });
      if (isWanted) return quoted.value;
      at = quoted.end;
    } else if (isWanted) return '';
  }
  return undefined;
}

function checkName(line: string, equals: number, number: number): void {
  if (equals === -1) throw new EnvFileError(number, "missing '='");
  const name = line.slice(0, equals);
  if (name.trim() === '') throw new EnvFileError(number, 'empty variable name');
  if (/[ \t]$/.test(name)) throw new EnvFileError(number, "whitespace before '=' is not allowed");
}

/** What stands between quotes, from a line on; and the line where they are closed. */
function readQuoted(
  lines: readonly string[],
  from: { readonly at: number; readonly rest: string },
): { readonly value: string; readonly end: number } {
  if (!from.rest.startsWith("'")) throw new EnvFileError(from.at + 1, 'value must be enclosed in single quotes');
  const parts: string[] = [];
  let rest = from.rest.slice(1);
  for (let at = from.at; ; rest = lineAt(lines, at)) {
    const close = rest.indexOf("'");
    if (close !== -1) {
      const behind = rest.slice(close + 1).replace(/^[ \t]+/, '');
      if (behind !== '' && !behind.startsWith('#')) {
        throw new EnvFileError(at + 1, 'unexpected content after closing quote');
      }
      parts.push(rest.slice(0, close));
      return { value: parts.join('\n'), end: at };
    }
    parts.push(rest);
    if (++at >= lines.length) throw new EnvFileError(from.at + 1, 'unclosed single quote');
  }
}

function lineAt(lines: readonly string[], at: number): string {
  const line = lines[at] ?? '';
  if (line.length > LINE_CHARACTERS_MAX) throw new EnvFileError(at + 1, 'token too long');
  return line;
}
