/** The test files of a tier, a line each. */
import { fileURLToPath } from 'node:url';
import { refuseUnknown, typed } from '../setup/usage.ts';
import { readSuites, TIERS } from './suites.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { words } = typed({
  text: `node tools/tiers/list.ts TIER…: the test files of tiers, a line each: ${TIERS.join(', ')}`,
  refuse: (all) => (all.length === 0 ? 'a tier is missing' : refuseUnknown(all, TIERS)),
});
for (const suite of readSuites(root)) {
  if (words.includes(suite.tier)) process.stdout.write(`${suite.files.join('\n')}\n`);
}
