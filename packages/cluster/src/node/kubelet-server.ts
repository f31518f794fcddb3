import { networkInterfaces } from 'node:os';
import type { Scope } from '@binnacle/base';
import type { KeyPair } from '@binnacle/certificates/node';
import type { Client } from '@binnacle/client';
import type { Kubelet } from '@binnacle/kubelet';
import { serveKubelet } from '@binnacle/kubelet/node';
import type { World } from '../world.ts';

/** The port of a kubelet where nobody says another: upstream's. */
export const KUBELET_PORT = 10_250;

/** Where a kubelet is to be asked, and by whom. */
export interface KubeletServerWish {
  readonly kubelet: Kubelet;
  /** Asked who callers are and what they may; absent: whom `clientCa` vouches for may everything. */
  readonly client?: Client;
  readonly host: string;
  /** Absent: 10250, or any other where that is taken. */
  readonly port?: number;
  /** Read or made when the server starts; undefined: there is none yet. */
  readonly certificate: () => Promise<KeyPair | undefined>;
  /** Tells of each newer one. */
  readonly renewals?: (use: (pair: KeyPair) => void) => void;
  /** PEM of the authority of client certificates; absent without a client too: anybody who reaches it may read. */
  readonly clientCa?: string;
  readonly world: World;
  readonly scope: Scope;
}

/** Opens the HTTPS port of a kubelet and answers with its number; undefined when it is to end already. Throws what listening throws: a port asked for by number may be taken. */
export async function serveNode(wish: KubeletServerWish): Promise<number | undefined> {
  const pair = await wish.certificate();
  const { kubelet, client, host, clientCa, world, scope, renewals } = wish;
  if (scope.closing) return undefined;
  const { clock } = world;
  const shared = {
    kubelet,
    ...(pair === undefined ? {} : { pair }),
    ...(renewals === undefined ? {} : { renewals }),
    host,
    clock,
    log: world.log.named('kubelet'),
    scope,
    ...(client === undefined ? {} : { client }),
    ...(clientCa === undefined ? {} : { clientCa }),
  };
  try {
    return (await serveKubelet({ ...shared, port: wish.port ?? KUBELET_PORT })).port;
  } catch (error) {
    if (wish.port !== undefined || (error as { code?: string }).code !== 'EADDRINUSE') throw error;
    return (await serveKubelet({ ...shared, port: 0 })).port;
  }
}

/** Whom a kubelet's serving certificate names: the node, and the addresses that the machine has now. */
export function servingSubject(
  nodeName: string,
  nodeIp?: string,
): { readonly commonName: string; readonly hostnames: readonly string[]; readonly ips: readonly string[] } {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((a) => a.address));
  // Link-local addresses carry a zone and come and go with the pods' interfaces.
  const ips = new Set([...own.filter((ip) => !ip.startsWith('fe80:')), ...(nodeIp === undefined ? [] : [nodeIp])]);
  return { commonName: `system:node:${nodeName}`, hostnames: [nodeName, 'localhost'], ips: [...ips] };
}
