/** docs/flakes.md: tests that failed and passed when run again. An entry is open until its cause is found and mended. */

/** A row of the table. */
export interface Flake {
  suite: string;
  test: string;
  seen: string;
  state: string;
}

/** More open entries than this fail the check. */
export const OPEN_FLAKES_MAX = 1;

/** The rows of the table `| suite | test | seen | state |`. */
export function readFlakes(text: string): Flake[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+\|$/.test(line))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, suite = '', test = '', seen = '', state = '']) => ({ suite, test, seen, state }));
}

export function openFlakes(text: string): Flake[] {
  return readFlakes(text).filter((flake) => flake.state === 'open');
}

/** The page with one more row; unchanged where the same test stands open already. */
export function withFlake(text: string, flake: Omit<Flake, 'state'>): string {
  if (openFlakes(text).some((f) => f.suite === flake.suite && f.test === flake.test)) return text;
  const cell = (value: string): string => value.replaceAll('|', '/').replaceAll('\n', ' ');
  return `${text.trimEnd()}\n| ${cell(flake.suite)} | ${cell(flake.test)} | ${cell(flake.seen)} | open |\n`;
}
