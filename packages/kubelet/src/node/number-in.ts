import { PathError } from '../errors.ts';

/** The number that the pattern finds first. Throws PathError where it is nowhere. */
export function numberIn(pattern: RegExp, text: string): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new PathError(pattern.source, 'is nowhere in it');
  return Number(found);
}
