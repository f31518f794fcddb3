/**
 * The laws that a program holds. `node tools/tidy/main.ts` checks; `--ratchet` writes today's excess down,
 * after which it may only shrink.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkAmbient } from './ambient.ts';
import { checkDoors } from './doors.ts';
import { checkImports } from './imports.ts';
import { checkSizes, measure, summary } from './sizes.ts';
import type { Ratchet } from './sizes.ts';
import { readHouse } from './tree.ts';

const here = (name: string): URL => new URL(`./${name}`, import.meta.url);
const read = <T>(name: string): T => JSON.parse(readFileSync(here(name), 'utf8')) as T;

const house = readHouse(fileURLToPath(new URL('../..', import.meta.url)));
const findings: string[] = [];
const report = (file: string, line: number, message: string): void => {
  findings.push(`${file}:${line}: ${message}`);
};

if (process.argv.includes('--ratchet')) {
  const now = Object.fromEntries(measure(house).map(({ key, value }) => [key, value]));
  writeFileSync(here('ratchet.json'), `${JSON.stringify(now, null, 2)}\n`);
}
checkImports(house, report);
checkAmbient(house, report);
checkSizes(house, read<Ratchet>('ratchet.json'), report);
checkDoors(house, read<Record<string, string>>('untested.json'), report);

for (const finding of [...new Set(findings)].sort()) process.stdout.write(`${finding}\n`);
process.stdout.write(`tidy: ${summary(house)}; ${findings.length} findings\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
