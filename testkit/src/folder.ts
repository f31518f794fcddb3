import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { TestkitError } from './errors.ts';
import { LAUNCHER } from './launcher.ts';

export { makeTestFolder as makeFolder } from '@binnacle/base/testing';
export type { TestFolder } from '@binnacle/base/testing';

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
