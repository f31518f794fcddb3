import type { ReloadFigures, TokenKeys } from '@binnacle/apiserver';
import { readTokenKeys } from '@binnacle/apiserver/node';
import type { TokenKeyFiles } from '@binnacle/apiserver/node';
import { allEnded } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { ensureCertificates, ensureFrontProxy } from '@binnacle/certificates/node';
import type { CertificateOptions, Certificates } from '@binnacle/certificates/node';
import type { Store } from '@binnacle/store';
import type { World } from '../world.ts';
import type { EncryptionChoice, EncryptionWorld, OpenEncryption } from './encryption.ts';
import { openStore } from './open-store.ts';
import type { StoreChoice } from './open-store.ts';

/** What a control plane is put together from. */
export interface PlaneParts {
  readonly certificates: Certificates;
  readonly frontProxy: Awaited<ReturnType<typeof ensureFrontProxy>>;
  readonly tokenKeys: TokenKeys;
  readonly store: Store;
  /** Absent: objects rest as they are. */
  readonly sealing: OpenEncryption | undefined;
}

/** See `ControlPlaneOptions`. */
export interface PartsOptions {
  readonly world: World;
  readonly scope: Scope;
  readonly pki: string;
  readonly store: StoreChoice;
  readonly encryption?: EncryptionChoice;
  readonly compactionIntervalMs?: number;
  readonly authority?: { readonly tokenKeys: TokenKeyFiles };
}

/** How this server is known, and who keeps score of what it reads anew. */
export interface PartsWorld extends Pick<EncryptionWorld, 'hash' | 'serverId'> {
  readonly reloads: ReloadFigures;
  readonly certificates: Pick<CertificateOptions, 'ips' | 'clients'>;
}

/** Opens them at once; what is open ends with the scope. Where one fails nothing is begun any more when it is told. */
export async function openParts(
  options: PartsOptions,
  { reloads, certificates: wanted, hash, serverId }: PartsWorld,
): Promise<PlaneParts> {
  const { world, scope, encryption } = options;
  const log = world.log.named('store');
  const openScopedStore = async (): Promise<Store> => {
    const store = await openStore(options.store, { clock: world.clock, log }, options.compactionIntervalMs);
    scope.defer(() => store.close());
    return store;
  };
  const [certificates, frontProxy, tokenKeys, store, sealing] = await allEnded([
    ensureCertificates(options.pki, { hostnames: [], ...wanted, clock: world.clock }),
    ensureFrontProxy(options.pki, { clock: world.clock }),
    readTokenKeys(`${options.pki}/sa.key`, options.authority?.tokenKeys ?? { verifying: [] }),
    openScopedStore(),
    // Its ciphers are loaded where they are wanted.
    encryption &&
      import('./encryption.ts').then(({ openEncryption }) =>
        openEncryption(encryption, { world, hash, serverId, measures: reloads.of('encryption') }, scope),
      ),
  ]);
  return { certificates, frontProxy, tokenKeys, store, sealing };
}
