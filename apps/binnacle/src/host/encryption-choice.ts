import type { EncryptionChoice } from '@binnacle/cluster/node/encryption';

/** The flags of encryption at rest, by upstream's names. */
export interface EncryptionFlags {
  readonly encryptionProviderConfig?: string;
  readonly encryptionProviderConfigAutomaticReload?: boolean;
}

/** What the flags ask for; nothing where they name no file. */
export function encryptionChoice(flags: EncryptionFlags): { readonly encryption?: EncryptionChoice } {
  const { encryptionProviderConfig: path } = flags;
  if (path === undefined) return {};
  return { encryption: { path, reload: flags.encryptionProviderConfigAutomaticReload === true } };
}
