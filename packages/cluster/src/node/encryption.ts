import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Encryption, readEncryptionConfig } from '@binnacle/apiserver';
import type { EncryptionRule } from '@binnacle/apiserver';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** Upstream's `--encryption-provider-config` and `--encryption-provider-config-automatic-reload`. */
export interface EncryptionChoice {
  readonly path: string;
  readonly reload: boolean;
}

/** What follows a change of the file: an editor writes in several steps. */
const SETTLE_MS = 200;

/**
 * Encryption at rest by an EncryptionConfiguration on disk, followed when it changes where that is asked for; a file
 * that cannot be followed leaves what held before. Throws ClusterError at the start.
 */
export async function openEncryption(choice: EncryptionChoice, world: World, scope: Scope): Promise<Encryption> {
  const encryption = new Encryption(await readRules(choice.path, world));
  if (choice.reload) followFile(choice.path, scope, { world, use: (rules) => encryption.replace(rules) });
  return encryption;
}

async function readRules(path: string, { random }: World): Promise<readonly EncryptionRule[]> {
  try {
    // Loaded on first use: most servers need no YAML to start.
    const { readYaml } = await import('@binnacle/machinery/yaml');
    const { value, problems } = readYaml(await readFile(path, 'utf8'));
    if (problems[0] !== undefined) throw new ClusterError('encryption-config', problems[0]);
    return readEncryptionConfig(value, random);
  } catch (error) {
    throw new ClusterError('encryption-config', `${path}: ${messageOf(error)}`, { cause: error });
  }
}

interface Following {
  readonly world: World;
  readonly use: (rules: readonly EncryptionRule[]) => void;
}

/** The folder is watched: a mounted Secret exchanges a link in it. */
function followFile(path: string, scope: Scope, { world, use }: Following): void {
  let waiting = false;
  const read = (): void => {
    waiting = false;
    readRules(path, world).then(
      (rules) => {
        use(rules);
        world.log.info(0, 'the encryption configuration was read anew', { path });
      },
      (error: unknown) => world.log.error(error, 'what held before goes on', { path }),
    );
  };
  const watcher = watch(dirname(path), (_event, name) => {
    if (waiting || (name !== null && name !== basename(path) && !name.startsWith('..'))) return;
    waiting = true;
    world.clock.after(SETTLE_MS, read, { background: true });
  });
  watcher.on('error', (error) => world.log.error(error, 'the encryption configuration is not followed', { path }));
  scope.defer(() => watcher.close());
}
