import type { Logger, Scope } from '@binnacle/base';
import { createHttpWire } from '@binnacle/client/node';
import type { Wire } from '@binnacle/machinery';
import { inClusterAccess } from './in-cluster.ts';
import { userKubeconfig } from './kubeconfig.ts';

/** The wire that a kubeconfig's current context describes; absent: the one of the pod that this process is in. It closes with the scope. */
export async function openWire(
  kubeconfig: string | undefined,
  scope: Scope,
  { userAgent, log }: { readonly userAgent: string; readonly log: Logger },
): Promise<Wire> {
  const access =
    kubeconfig === undefined ? await inClusterAccess({ env: process.env }) : (await userKubeconfig(kubeconfig)).wire;
  const wire = createHttpWire({ ...access, userAgent, log });
  scope.defer(() => wire.close());
  return wire;
}
