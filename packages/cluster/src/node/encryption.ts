import { readFile } from 'node:fs/promises';
import { Encryption, readEncryptionConfig } from '@binnacle/apiserver';
import type { EncryptionRule, HealthCheck } from '@binnacle/apiserver';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { followFile } from './follow-file.ts';
import { KeyServices } from './key-services.ts';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** Upstream's `--encryption-provider-config` and `--encryption-provider-config-automatic-reload`. */
export interface EncryptionChoice {
  readonly path: string;
  readonly reload: boolean;
}

/** How values rest, and how those are who keep the keys. */
export interface OpenEncryption {
  readonly transformer: Encryption;
  readonly healthChecks: () => readonly HealthCheck[];
}

/**
 * Encryption at rest by an EncryptionConfiguration on disk, followed when it changes where that is asked for; a file
 * that cannot be followed leaves what held before. Throws ClusterError at the start.
 */
export async function openEncryption(choice: EncryptionChoice, world: World, scope: Scope): Promise<OpenEncryption> {
  const { path } = choice;
  let services = new KeyServices(world);
  const encryption = new Encryption(await readRules(path, world, services));
  scope.defer(() => services.close());
  await services.ready(scope);
  const take = async (): Promise<void> => {
    const next = new KeyServices(world);
    try {
      const rules = await readRules(path, world, next);
      await next.ready(scope);
      encryption.replace(rules);
    } catch (error) {
      next.close();
      world.log.error(error, 'what held before goes on', { path });
      return;
    }
    services.close();
    services = next;
    world.log.info(0, 'the encryption configuration was read anew', { path });
  };
  // Never rejects: see above.
  const readAgain = (): void => void take();
  if (choice.reload) followFile(path, scope, { world, onChange: readAgain });
  return { transformer: encryption, healthChecks: () => healthChecks(services, choice) };
}

/** As upstream calls them: one for all where the configuration may change, else one for each. */
function healthChecks(services: KeyServices, { reload }: EncryptionChoice): readonly HealthCheck[] {
  const checks = services.checks();
  if (!reload) return checks.map((check, at) => ({ name: `kms-provider-${at}`, check }));
  if (checks.length === 0) return [];
  return [{ name: 'kms-providers', check: () => checks.forEach((check) => check()) }];
}

async function readRules(path: string, { random }: World, services: KeyServices): Promise<readonly EncryptionRule[]> {
  try {
    // Loaded on first use: most servers need no YAML to start.
    const { readYaml } = await import('@binnacle/machinery/yaml');
    const { value, problems } = readYaml(await readFile(path, 'utf8'));
    if (problems[0] !== undefined) throw new ClusterError('encryption-config', problems[0]);
    return readEncryptionConfig(value, { random, envelope: services.seal });
  } catch (error) {
    throw new ClusterError('encryption-config', `${path}: ${messageOf(error)}`, { cause: error });
  }
}
