import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestkitError } from './errors.ts';

const LAUNCHER = fileURLToPath(new URL('../../apps/binnacle/launch.mjs', import.meta.url));

/** A folder of a test's own. */
export interface TestFolder {
  readonly path: string;
  remove(): void;
}

/** Makes an empty folder under the system's temporary one. */
export function makeFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'binnacle-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a `binnacle` command that ends by itself; answers with its output. */
export function runBinnacle(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [LAUNCHER, ...args], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new TestkitError(`binnacle ${args.join(' ')} failed: ${stderr}`, error));
    });
  });
}

/** A port of loopback that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
