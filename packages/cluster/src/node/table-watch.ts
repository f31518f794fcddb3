import { spawn } from 'node:child_process';
import { messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';

/** Ends with its input, and so with us, however we end: a killed process leaves no monitor behind. */
const MONITOR = 'nft monitor destroy tables & monitor=$!; read -r _; kill $monitor';

/**
 * Calls whenever somebody, we ourselves too, takes a table of nftables away: `nft flush ruleset` in a firewall's script
 * is one line. Without `nft monitor` nobody notices before the next change fails.
 */
export function watchTables(world: { readonly log: Logger; readonly scope: Scope }, onGone: () => Promise<void>): void {
  const { log, scope } = world;
  scope.run('nft monitor', async (signal) => {
    const child = spawn('sh', ['-c', MONITOR], { stdio: ['pipe', 'pipe', 'ignore'] });
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = (): unknown => child.stdin.end();
    child.stdin.on('error', stop);
    signal.addEventListener('abort', stop, { once: true });
    child.once('close', () => resolve());
    child.once('error', (error) => {
      log.warn('nft monitor cannot run: a flush of rules by others is noticed late', { reason: messageOf(error) });
      resolve();
    });
    let looking = Promise.resolve();
    child.stdout.on('data', () => {
      looking = looking.then(onGone);
    });
    await promise;
    await looking;
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) log.warn('nft monitor ended: a flush of rules by others is noticed late');
  });
}
