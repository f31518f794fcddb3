/** The laws that a program holds. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { typed } from '../setup/usage.ts';
import { figures } from './figures.ts';
import { unheld } from './holders.ts';
import { CHECKS, counted, findings, judged, shrunk } from './laws.ts';
import type { Tolerated } from './laws.ts';
import { neutralProject } from './projects.ts';
import { checkSizes, measure } from './sizes.ts';
import type { Ratchet } from './sizes.ts';
import { readHouse } from './tree.ts';

const here = (name: string): URL => new URL(`./${name}`, import.meta.url);
const read = <T>(name: string): T => JSON.parse(readFileSync(here(name), 'utf8')) as T;
const { flags } = typed({
  text: `npm run tidy [-- FLAG…]: checks the laws that a program holds, and prints the house in figures
  --all       what is tolerated too, and how much of it each room has
  --shrink    lowers what is tolerated to what is left
  --ratchet   writes today's sizes over a ceiling
  --projects  writes tsconfig.neutral.json`,
  flags: { all: 'boolean', shrink: 'boolean', ratchet: 'boolean', projects: 'boolean' },
});
const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const house = readHouse(fileURLToPath(new URL('../..', import.meta.url)));
if (flags['projects']) writeFileSync(join(house.root, 'tsconfig.neutral.json'), written(neutralProject(house.layers)));
if (flags['ratchet']) {
  writeFileSync(
    here('ratchet.json'),
    written(Object.fromEntries(measure(house).map(({ key, value }) => [key, value]))),
  );
}
const found = findings(house);
if (flags['shrink']) writeFileSync(here('tolerated.json'), written(shrunk(found, read<Tolerated>('tolerated.json'))));

const said = judged(found, read<Tolerated>('tolerated.json'));
checkSizes(house, read<Ratchet>('ratchet.json'), (file, line, message) => said.push(`${file}:${line}: ${message}`));
const architecture = readFileSync(join(house.root, 'ARCHITECTURE.md'), 'utf8');
const tests = new Set(house.files.filter((file) => file.isTest).map((file) => file.path));
said.push(...unheld(architecture, { checks: CHECKS, isTest: (path) => tests.has(path) }));
if (flags['all']) {
  for (const { law, file, line, message } of found) process.stdout.write(`${law} ${file}:${line}: ${message}\n`);
  for (const [key, count] of Object.entries(counted(found))) process.stdout.write(`${key}: ${count}\n`);
}
for (const line of [...new Set(said)].sort()) process.stdout.write(`${line}\n`);
process.stdout.write(
  `${figures(house)}\ntidy: ${said.length} findings, ${found.length - said.length} tolerated of old\n`,
);
process.exitCode = said.length > 0 ? 1 : 0;
