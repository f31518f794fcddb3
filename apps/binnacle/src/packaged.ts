/**
 * The program as the package has it. `up`, which uses most of it, is one file whose compiled code is kept where there is a place for
 * that; the others load what they need.
 */
import module from 'node:module';
import { join } from 'node:path';
import { runWithKeptCode } from './host/kept-code.ts';

const folder = module.getCompileCacheDir();
if (process.argv[2] === 'up' && folder !== undefined) {
  runWithKeptCode(join(import.meta.dirname, 'whole.cjs'), join(folder, 'binnacle-up.code'));
} else await import('./main.ts');
