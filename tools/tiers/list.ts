/** `node tools/tiers/list.ts TIER`: the test files of a tier, a line each. */
import { fileURLToPath } from 'node:url';
import { readSuites } from './suites.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
for (const suite of readSuites(root)) {
  if (suite.tier === process.argv[2]) process.stdout.write(`${suite.files.join('\n')}\n`);
}
