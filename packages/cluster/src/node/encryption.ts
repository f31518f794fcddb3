import { readFile } from 'node:fs/promises';
import { Encryption, readEncryptionConfig } from '@binnacle/apiserver';
import type { EncryptionRule } from '@binnacle/apiserver';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { followFile } from './follow-file.ts';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** Upstream's `--encryption-provider-config` and `--encryption-provider-config-automatic-reload`. */
export interface EncryptionChoice {
  readonly path: string;
  readonly reload: boolean;
}

/**
 * Encryption at rest by an EncryptionConfiguration on disk, followed when it changes where that is asked for; a file
 * that cannot be followed leaves what held before. Throws ClusterError at the start.
 */
export async function openEncryption(choice: EncryptionChoice, world: World, scope: Scope): Promise<Encryption> {
  const encryption = new Encryption(await readRules(choice.path, world));
  const { path } = choice;
  const readAgain = (): void => {
    readRules(path, world).then(
      (rules) => {
        encryption.replace(rules);
        world.log.info(0, 'the encryption configuration was read anew', { path });
      },
      (error: unknown) => world.log.error(error, 'what held before goes on', { path }),
    );
  };
  if (choice.reload) followFile(path, scope, { world, onChange: readAgain });
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
