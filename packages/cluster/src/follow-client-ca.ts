import { CONFIG_MAPS } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import type { Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';

/**
 * Whose client certificates the API server believes (PEM), as it tells those who ask it on others' behalf: `use` hears of it and
 * of each change. Where that may not be read it stays with tokens, as upstream's `--authentication-tolerate-lookup-failure`.
 */
export function followClientCa(
  { client, world }: { readonly client: Client; readonly world: ClientWorld },
  scope: Scope,
  use: (ca: string | undefined) => void,
): void {
  const fieldSelector = `metadata.name=${NAME}`;
  const informer = createInformer<ConfigMap>(client, CONFIG_MAPS, world, { namespace: NAMESPACE, fieldSelector });
  let told: string | undefined;
  const tell = (map: ConfigMap | undefined): void => {
    const ca = map?.data?.['client-ca-file'];
    const known = ca === '' ? undefined : ca;
    if (known === told) return;
    told = known;
    use(known);
  };
  informer.subscribe({ add: tell, update: (_before, after) => tell(after), remove: () => tell(undefined) });
  informer.start(scope);
}
