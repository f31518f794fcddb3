import { readFile } from 'node:fs/promises';
import type { HealthCheck, ReloadMeasures } from '@binnacle/apiserver';
import { Encryption, EncryptionFigures, readEncryptionConfig } from '@binnacle/apiserver/encryption';
import type { EncryptionRule } from '@binnacle/apiserver/encryption';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { followConfig } from './followed-config.ts';
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
  readonly figures: EncryptionFigures;
  readonly healthChecks: () => readonly HealthCheck[];
}

/** A configuration that was read, and whom it needs; all of it ends with its scope. */
interface Standing {
  readonly rules: readonly EncryptionRule[];
  readonly services: KeyServices;
  readonly scope: Scope;
}

/** Key services of a new configuration that are not well by then count as a failure (upstream's), though they are waited for. */
const GRACE_MS = 10_000;

/** What following it needs beside the world. */
export interface EncryptionWorld {
  readonly world: World;
  /** Of this server, for `/metrics`. */
  readonly hash: (text: string) => string;
  readonly serverId: string;
  readonly measures: ReloadMeasures;
}

/**
 * Encryption at rest by an EncryptionConfiguration on disk, followed when it changes where that is asked for; a file
 * that cannot be followed leaves what held before. Throws ClusterError at the start.
 */
export async function openEncryption(
  choice: EncryptionChoice,
  { world, hash, serverId, measures }: EncryptionWorld,
  scope: Scope,
): Promise<OpenEncryption> {
  const { path } = choice;
  const figures = new EncryptionFigures({ clock: world.clock, hash, serverId });
  const read = (text: string): Promise<Standing> =>
    stand({ path, text }, { world, figures }, scope.child('encryption'));
  const text = await textOf(path);
  let standing = await read(text);
  await standing.services.ready(standing.scope);
  const encryption = new Encryption(standing.rules, figures);
  const take = async (next: Standing, signal: AbortSignal): Promise<boolean> => {
    // Never rejects: what goes wrong in it is logged.
    const end = (): void => void next.scope.close();
    signal.addEventListener('abort', end, { once: true });
    const late = world.clock.after(GRACE_MS, () => measures.failed(), { background: true });
    try {
      await next.services.ready(next.scope);
      signal.throwIfAborted();
    } catch (error) {
      await next.scope.close();
      throw error;
    } finally {
      late.cancel();
      signal.removeEventListener('abort', end);
    }
    encryption.replace(next.rules);
    const { scope: last } = standing;
    standing = next;
    await last.close();
    return true;
  };
  if (choice.reload)
    followConfig({ path, text, read }, scope, { world, name: 'encryption configuration', measures, take });
  else measures.applied(text);
  return { transformer: encryption, figures, healthChecks: () => healthChecks(standing.services, choice) };
}

interface ReadText {
  readonly path: string;
  readonly text: string;
}

/** Reads it; nobody has been asked for keys yet. A text that is none leaves nothing behind. */
async function stand(
  file: ReadText,
  { world, figures }: { readonly world: World; readonly figures: EncryptionFigures },
  scope: Scope,
): Promise<Standing> {
  const services = new KeyServices(world, figures);
  scope.defer(() => services.close());
  try {
    return { rules: await readRules(file, world, services), services, scope };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/** As upstream calls them: one for all where the configuration may change, else one for each. */
function healthChecks(services: KeyServices, { reload }: EncryptionChoice): readonly HealthCheck[] {
  const checks = services.checks();
  if (!reload) return checks.map((check, at) => ({ name: `kms-provider-${at}`, check }));
  if (checks.length === 0) return [];
  return [{ name: 'kms-providers', check: () => checks.forEach((check) => check()) }];
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ClusterError('encryption-config', `${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function readRules(
  { path, text }: ReadText,
  { random }: World,
  services: KeyServices,
): Promise<readonly EncryptionRule[]> {
  try {
    // Loaded on first use: most servers need no YAML to start.
    const { readYaml } = await import('@binnacle/machinery/yaml');
    const { value, problems } = readYaml(text);
    if (problems[0] !== undefined) throw new ClusterError('encryption-config', problems[0]);
    return readEncryptionConfig(value, { random, envelope: services.seal });
  } catch (error) {
    throw new ClusterError('encryption-config', `${path}: ${messageOf(error)}`, { cause: error });
  }
}
