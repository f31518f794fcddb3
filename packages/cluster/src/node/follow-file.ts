import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Scope } from '@binnacle/base';
import type { World } from '../world.ts';

/** What follows a change of a file: an editor writes in several steps. */
const SETTLE_MS = 200;

/** Who wants to hear of changes. */
export interface FileFollower {
  readonly world: World;
  /** Called once for changes that come together. */
  readonly onChange: () => void;
}

/** Tells of changes of a file until the scope ends. Its folder is watched: a mounted Secret exchanges a link in it. */
export function followFile(path: string, scope: Scope, { world, onChange }: FileFollower): void {
  let waiting = false;
  const settled = (): void => {
    waiting = false;
    if (!scope.closing) onChange();
  };
  const watcher = watch(dirname(path), (_event, name) => {
    if (waiting || (name !== null && name !== basename(path) && !name.startsWith('..'))) return;
    waiting = true;
    world.clock.after(SETTLE_MS, settled, { background: true });
  });
  watcher.on('error', (error) => world.log.error(error, 'a file is not followed', { path }));
  scope.defer(() => watcher.close());
}
