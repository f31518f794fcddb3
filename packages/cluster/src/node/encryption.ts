import { readFile } from 'node:fs/promises';
import type { HealthCheck } from '@binnacle/apiserver';
import { Encryption, readEncryptionConfig } from '@binnacle/apiserver/encryption';
import type { EncryptionRule } from '@binnacle/apiserver/encryption';
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

/** A configuration that was read, and whom it needs; all of it ends with its scope. */
interface Standing {
  readonly rules: readonly EncryptionRule[];
  readonly services: KeyServices;
  readonly scope: Scope;
}

/**
 * Encryption at rest by an EncryptionConfiguration on disk, followed when it changes where that is asked for; a file
 * that cannot be followed leaves what held before. Throws ClusterError at the start.
 */
export async function openEncryption(choice: EncryptionChoice, world: World, scope: Scope): Promise<OpenEncryption> {
  const { path } = choice;
  let standing = await stand(path, world, scope.child('encryption'));
  const encryption = new Encryption(standing.rules);
  let coming: Scope | undefined;
  const overtaken = (): void => world.log.info(0, 'a later encryption configuration counts', { path });
  const take = async (): Promise<void> => {
    const mine = scope.child('encryption');
    // Whom that one waits for may come at any time: what is in the file now counts.
    const before = coming;
    coming = mine;
    await before?.close();
    try {
      const next = await stand(path, world, mine);
      if (mine.closing) return overtaken();
      encryption.replace(next.rules);
      const { scope: last } = standing;
      standing = next;
      coming = undefined;
      world.log.info(0, 'the encryption configuration was read anew', { path });
      await last.close();
    } catch (error) {
      if (mine.closing) return overtaken();
      world.log.error(error, 'what held before goes on', { path });
      await mine.close();
    }
  };
  // Never rejects: see above.
  const readAgain = (): void => void take();
  if (choice.reload) followFile(path, scope, { world, onChange: readAgain });
  return { transformer: encryption, healthChecks: () => healthChecks(standing.services, choice) };
}

/** Reads it, and waits until whoever keeps its keys has given a first good word. */
async function stand(path: string, world: World, scope: Scope): Promise<Standing> {
  const services = new KeyServices(world);
  scope.defer(() => services.close());
  const rules = await readRules(path, world, services);
  await services.ready(scope);
  return { rules, services, scope };
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
