import type { Logger, Scope } from '@binnacle/base';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { Wire } from '@binnacle/machinery';

/** The wire that a kubeconfig's current context describes; closes with the scope. */
export async function openWire(
  kubeconfig: string,
  scope: Scope,
  { userAgent, log }: { readonly userAgent: string; readonly log: Logger },
): Promise<Wire> {
  const loaded = await loadKubeconfig(kubeconfig);
  const wire = createHttpWire({ ...loaded.wire, userAgent, log });
  scope.defer(() => wire.close());
  return wire;
}
