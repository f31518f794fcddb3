import { messageOf } from '@binnacle/base';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from './duration.ts';

const NUMBER_MAX_DIGITS = 9;

/** A whole number. */
export function countOption(flag: string, description: string): Option {
  return new Option(`--${flag}`, description).argParser((text) => {
    if (/^\d+$/.test(text) && text.length <= NUMBER_MAX_DIGITS) return Number(text);
    throw new InvalidArgumentError('expected a whole number');
  });
}

/** A duration in Go's form, in milliseconds. */
export function durationOption(flag: string, description: string): Option {
  return new Option(`--${flag} <duration>`, description).argParser((text) => {
    try {
      return parseDuration(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  });
}

/** `--flag`, `--flag=true` or `--flag=false`, as Go's flags are. */
export function switchOption(flag: string, description: string): Option {
  return new Option(`--${flag} [value]`, description).preset('true').argParser((text) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new InvalidArgumentError('expected true or false');
  });
}

/** A whole number of five digits at the most. */
export function parseCount(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

/** A number that may have a fraction. */
export function parseShare(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError('expected a number');
  return Number(text);
}

/** Of a comma-separated list all that is not empty. */
export function parseList(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}
