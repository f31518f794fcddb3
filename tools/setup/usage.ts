/** What a script of the house takes: told where it is asked for, and refused where it is something else, before anything begins. */
import { parseArgs } from 'node:util';

/** What may be typed behind a script's name. */
export interface Usage {
  /** How it is typed, and what that means; several lines. */
  readonly text: string;
  /** Flags without their hyphens; those of strings take a value. */
  readonly flags?: { readonly [flag: string]: 'boolean' | 'string' };
  /** What is wrong with the words, if anything is. Absent: there may be none. */
  readonly refuse?: (words: readonly string[]) => string | undefined;
}

/** What was typed. */
export interface Typed {
  readonly flags: { readonly [flag: string]: string | boolean | undefined };
  readonly words: readonly string[];
}

/** What is wrong with words of which each should be one of `known`, if anything is: `there is no "x"; there are: a, b`. */
export function refuseUnknown(words: readonly string[], known: readonly string[]): string | undefined {
  const unknown = words.find((word) => !known.includes(word));
  return unknown === undefined ? undefined : `there is no ${JSON.stringify(unknown)}; there are: ${known.join(', ')}`;
}

const refuseAny = ([word]: readonly string[]): string | undefined =>
  word === undefined ? undefined : `no words are taken, and ${JSON.stringify(word)} is one`;

/** Undefined where it was asked what may be typed. Throws RangeError for what may not be. */
export function understand({ flags = {}, refuse = refuseAny }: Usage, args: readonly string[]): Typed | undefined {
  const known = Object.entries(flags).map(([flag, type]) => [flag, { type }] as const);
  const options = { ...Object.fromEntries(known), help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parse(() => parseArgs({ args: [...args], allowPositionals: true, options }));
  if (values['help'] === true) return undefined;
  const wrong = refuse(positionals);
  if (wrong !== undefined) throw new RangeError(wrong);
  return { flags: values as Typed['flags'], words: positionals };
}

function parse<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    // Behind it Node says how a word may begin with a hyphen: nobody means that here.
    throw new RangeError(String((error as Error).message).replace(/\. .*/s, ''), { cause: error });
  }
}

/** What this process was started with. Ends it with 0 where it was asked what may be typed, and with 2 for anything else. */
export function typed(usage: Usage): Typed {
  try {
    const understood = understand(usage, process.argv.slice(2));
    if (understood !== undefined) return understood;
    process.stdout.write(`${usage.text}\n`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage.text}\n`);
    process.exit(2);
  }
}
