import { spawn } from 'node:child_process';
import { coalesced, messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';

/** Ends with its input, and so with us, however we end: a killed process leaves no monitor behind. */
const MONITOR = 'nft monitor destroy tables & monitor=$!; read -r _; kill $monitor';

/** Somebody who hears when a table of nftables goes. */
export interface TableWatch {
  /**
   * Does something while nobody listens, and looks afterwards: while anybody listens, the kernel writes a letter about
   * each element that changes, which is half of the work where they are a hundred thousand.
   */
  quietly<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Calls whenever somebody, we ourselves too, takes a table of nftables away: `nft flush ruleset` in a firewall's script
 * is one line. Without `nft monitor` nobody notices before the next change fails.
 */
export function watchTables(
  world: { readonly log: Logger; readonly scope: Scope },
  onGone: () => Promise<void>,
): TableWatch {
  const { log, scope } = world;
  let looking = Promise.resolve();
  // Others may take tables away faster than they are looked for.
  const lookOnce = coalesced(() =>
    onGone().catch((error: unknown) => log.error(error, 'rules could not be looked at')),
  );
  const look = (): void => {
    looking = lookOnce();
  };
  let monitor = listen(log, look);
  // Bounded by the calls that run at once.
  let quiet = 0;
  scope.run('nft monitor', async (signal) => {
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await monitor.stop();
    await looking;
  });
  return {
    async quietly(work) {
      if (quiet++ === 0) await monitor.stop();
      try {
        return await work();
      } finally {
        if (--quiet === 0 && !scope.signal.aborted) {
          monitor = listen(log, look);
          look();
        }
      }
    },
  };
}

/** What a shell leaves that somebody has killed. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}

/** Listens until it is told to stop. */
function listen(log: Logger, onGone: () => void): { stop(): Promise<void> } {
  // A group of its own: Ctrl-C of a terminal ends every shell of ours, but not what it started behind itself, which holds its output.
  const child = spawn('sh', ['-c', MONITOR], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const { promise, resolve } = Promise.withResolvers<void>();
  let isStopped = false;
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', onGone);
  child.once('exit', () => endGroup(child.pid));
  // Behind its last word: what has stopped tells nothing more.
  child.once('close', () => {
    if (!isStopped) log.warn('nft monitor ended: a flush of rules by others is noticed late');
    resolve();
  });
  child.once('error', (error) => {
    log.warn('nft monitor cannot run: a flush of rules by others is noticed late', { reason: messageOf(error) });
    isStopped = true;
    resolve();
  });
  return {
    stop() {
      isStopped = true;
      child.stdin.end();
      return promise;
    },
  };
}
