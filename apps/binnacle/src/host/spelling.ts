import type { Command } from 'commander';

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
