import { spawn } from 'node:child_process';
import { messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';

/**
 * Calls whenever somebody, we ourselves too, takes a table of nftables away: `nft flush ruleset` in a firewall's script
 * is one line. Without `nft monitor` nobody notices before the next change fails.
 */
export function watchTables(world: { readonly log: Logger; readonly scope: Scope }, onGone: () => Promise<void>): void {
  const { log, scope } = world;
  scope.run('nft monitor', async (signal) => {
    const child = spawn('nft', ['monitor', 'destroy', 'tables'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = (): boolean => child.kill();
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
