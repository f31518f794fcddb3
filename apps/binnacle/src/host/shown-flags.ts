/** All flags that were given or have a default, as `/flagz` shows them. None of them is a secret: those are in files. */
export function shownFlags(flags: object): ReadonlyMap<string, string> {
  const shown = Object.entries(flags).map(([name, value]: [string, unknown]): [string, string] => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [flag, typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return new Map(shown);
}
