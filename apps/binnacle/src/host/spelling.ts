import { InvalidArgumentError } from 'commander';
import type { Command, Option } from 'commander';

/** Letters that take a value; users of Go's flags type `-o=json` and `-v=2`. */
const WITH_VALUE = /^-([nov])=(.*)$/s;
const VERBOSITY = /^-v(\d+)$/;

/** Arguments as the parser reads them: it knows `-ojson` and `--v=2`, and takes the `=` of `-o=json` for the value's. */
export function normaliseArguments(args: readonly string[]): string[] {
  if (args[0] === '--version') return ['version'];
  return args.map((arg) => arg.replace(WITH_VALUE, '-$1$2').replace(VERBOSITY, '--v=$1'));
}

/** What is wrong stays the last thing on the screen: a word where the help is, not the help itself. */
export function pointToHelp(command: Command, above: readonly string[] = []): void {
  const path = [...above, command.name()];
  command.showHelpAfterError(`see: ${path.join(' ')} --help`);
  for (const below of command.commands) pointToHelp(below, path);
}

/** What stands for something that has a name or a place: nothing is of the name of nothing. */
const NAMED = /<(?:file|dir|name|host:port)(?:\.\.\.)?>$/;

/**
 * Refuses a flag's value that is another flag, which the parser takes for it (`--data-dir --detach` would make a folder
 * of that name), and an empty file or name, which a variable that is not set leaves behind.
 */
export function refuseMissingValues(command: Command): void {
  for (const option of command.options) if (option.required) wrap(option);
  for (const below of command.commands) refuseMissingValues(below);
}

function wrap(option: Option): void {
  const read = option.parseArg;
  option.argParser<unknown>((text, previous) => {
    if (text.startsWith('--')) throw new InvalidArgumentError('its value is missing');
    if (text === '' && NAMED.test(option.flags)) throw new InvalidArgumentError('it is empty');
    if (read !== undefined) return read(text, previous);
    if (!option.variadic) return text;
    return previous === option.defaultValue || !Array.isArray(previous) ? [text] : [...(previous as unknown[]), text];
  });
}
