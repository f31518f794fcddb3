#!/usr/bin/env node
// Plain JavaScript, so that an old Node says what is wrong instead of stumbling over a type.
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`binnacle needs Node 24 or later; this is ${process.version}\n`);
  process.exit(1);
}

/** Where compiled code is kept. It is run as it is found there, so that nobody else may have made the folder. */
function ownFolder() {
  const user = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `binnacle-code-${user}`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    // No place for it: everything is compiled anew.
    return undefined;
  }
}

// Whoever sets the variable has chosen a folder, and Node keeps code there already.
const folder = process.env.NODE_COMPILE_CACHE ?? ownFolder();
if (folder !== undefined) module.enableCompileCache(folder);
await import('./src/main.ts');
