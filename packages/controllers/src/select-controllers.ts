import { UnknownControllerError } from './errors.ts';

/**
 * The controllers that a `--controllers` list means, in the order of the known ones: `*` is all of them that are on by
 * default, `name` this one, `-name` not this one. What is said of a name first holds, and beats `*`. Names without their `-controller`
 * are taken too, as upstream's older names were. Throws UnknownControllerError.
 */
export function selectControllers(
  list: readonly string[],
  known: readonly string[],
  off: readonly string[] = [],
): readonly string[] {
  const all = list.includes('*');
  const said = new Map<string, boolean>();
  for (const item of list) {
    if (item === '*') continue;
    const wanted = !item.startsWith('-');
    const name = nameIn(known, wanted ? item : item.slice(1));
    if (!said.has(name)) said.set(name, wanted);
  }
  return known.filter((name) => said.get(name) ?? (all && !off.includes(name)));
}

function nameIn(known: readonly string[], given: string): string {
  const name = [given, `${given}-controller`].find((one) => known.includes(one));
  if (name === undefined) throw new UnknownControllerError(given);
  return name;
}
