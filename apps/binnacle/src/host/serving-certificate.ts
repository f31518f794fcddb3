import { join } from 'node:path';
import type { Scope } from '@binnacle/base';
import type { KeyPair } from '@binnacle/certificates/node';
import type { Client } from '@binnacle/client';
import {
  keepNodeCertificate,
  namesAll,
  readNodeCertificate,
  servingUse,
} from '@binnacle/cluster/node/node-certificate';
import type { World } from '@binnacle/cluster/world';
import type { Kubelet } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';

/** A certificate for a kubelet's port that the cluster is asked for. */
export interface AskedCertificate {
  /** Of an earlier kubelet; undefined: there is none yet, and nobody can speak to the port. */
  readonly held: KeyPair | undefined;
  /** Asks for the first one, and for another before each ends or when the node has other addresses; the last one stands in a file. */
  readonly renewals: (use: (pair: KeyPair) => void) => void;
}

/** It names the node and its addresses. Throws UsageError without an API server. */
export async function askedCertificate(of: {
  readonly kubelet: Pick<Kubelet, 'nodeName' | 'machine'>;
  readonly client: Client | undefined;
  /** The kubelet's own: the certificate is kept below it. */
  readonly directory: string;
  readonly world: World;
  readonly scope: Scope;
}): Promise<AskedCertificate> {
  const { kubelet, client, directory, world, scope } = of;
  if (client === undefined) throw new UsageError('serverTLSBootstrap needs an API server: --kubeconfig');
  const path = join(directory, 'pki', 'kubelet-server-current.pem');
  const held = await readNodeCertificate(path, world.clock.now());
  const use = servingUse(kubelet.machine.addresses);
  // One that names others than the node's addresses of today is shown only until there is a better one.
  const current = held !== undefined && namesAll(held, use) ? held : undefined;
  return {
    held,
    renewals: (renewed) =>
      keepNodeCertificate(current, { client, nodeName: kubelet.nodeName, use, path, world, scope, renewed }),
  };
}
