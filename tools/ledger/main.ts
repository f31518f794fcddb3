/** `node tools/ledger/main.ts`: refuses a ledger that does not hold; prints what is shown by SIG. Part of check. */
import { fileURLToPath } from 'node:url';
import { typed } from '../setup/usage.ts';
import { readSuites } from '../tiers/suites.ts';
import { counts, reader, readLedger, stringsOf, unlisted, wrongs } from './ledger.ts';

typed({ text: 'node tools/ledger/main.ts: refuses a ledger that does not hold; prints what is shown by SIG' });
const root = fileURLToPath(new URL('../..', import.meta.url));
const read = reader(root);
const ledger = readLedger(root);
const files = readSuites(root)
  .filter((suite) => suite.tier === 'ledger')
  .flatMap((suite) => suite.files);
const names = new Set(files.flatMap((file) => [...stringsOf(file, read(file) ?? '')]));
const said = [...wrongs(ledger, read), ...unlisted(ledger, names)];
for (const line of said) process.stdout.write(`conformance/ledger.yaml: ${line}\n`);
if (said.length === 0) process.stdout.write(`${counts(ledger)}\n`);
process.exitCode = said.length > 0 ? 1 : 0;
