import { readFile } from 'node:fs/promises';
import { secureRandom } from '@binnacle/base/node';
import type { EncryptionChoice } from '@binnacle/cluster/node/encryption';
import { UsageError } from '../errors.ts';

const FLAG = '--encryption-provider-config';

/** The flags of encryption at rest, by upstream's names. */
export interface EncryptionFlags {
  readonly encryptionProviderConfig?: string;
  readonly encryptionProviderConfigAutomaticReload?: boolean;
}

/** What the flags ask for; nothing where they name no file. Throws UsageError for one that is wrong. */
export async function encryptionChoice(flags: EncryptionFlags): Promise<{ readonly encryption?: EncryptionChoice }> {
  const { encryptionProviderConfig: path } = flags;
  if (path === undefined) return {};
  await refuseWrong(path);
  return { encryption: { path, reload: flags.encryptionProviderConfigAutomaticReload === true } };
}

/** The server reads it when it opens its store, and asks its key services then: all else is begun by that time. */
async function refuseWrong(path: string): Promise<void> {
  const [{ readYaml }, { readEncryptionConfig }] = await Promise.all([
    import('@binnacle/machinery/yaml'),
    import('@binnacle/apiserver/encryption'),
  ]);
  const unasked = {
    prefix: new Uint8Array(),
    steps: [],
    seal: (value: Uint8Array) => value,
    open: (sealed: Uint8Array) => sealed,
  };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${FLAG}: cannot read ${path}`, error);
  }
  const { value, problems } = readYaml(text);
  if (problems[0] !== undefined) throw new UsageError(`${FLAG}: ${path}: ${problems[0]}`);
  try {
    readEncryptionConfig(value, { random: secureRandom, envelope: () => unasked });
  } catch (error) {
    throw new UsageError(`${FLAG}: ${path}`, error);
  }
}
