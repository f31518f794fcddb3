#!/usr/bin/env node
// Plain JavaScript, so that an old Node says what is wrong instead of stumbling over a type.
import module from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`binnacle needs Node 24 or later; this is ${process.version}\n`);
  process.exit(1);
}
module.enableCompileCache?.();
await import('./src/main.ts');
