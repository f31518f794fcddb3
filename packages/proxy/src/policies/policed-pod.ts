import { isPodTerminal, isSidecar } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { canonicalAddress } from '@binnacle/base';
import type { Protocol } from '@binnacle/network';
import { protocolOf } from '../endpoints.ts';
import type { Selectable } from './selection.ts';

/** What of a pod bears on policies. */
export interface PodPlace extends Selectable {
  /** `namespace/name`. */
  readonly key: string;
  readonly addresses: readonly string[];
  readonly isLocal: boolean;
  /** Its ports that have names. */
  readonly ports: readonly { readonly name: string; readonly protocol: Protocol; readonly port: number }[];
}

/**
 * Reads a pod; undefined for one that has no address of its own: it has none yet, or no more, or it is on the network of
 * its node, whose traffic is not the pod's.
 */
export function readPod(pod: Pod, nodeName: string): PodPlace | undefined {
  const { metadata, spec, status } = pod;
  const { podIPs = [], podIP = '' } = status ?? {};
  // Two spellings of one address would be two elements to us, and one to nft, which takes no batch with both.
  const addresses = [...new Set([...podIPs.map(({ ip }) => ip), podIP].flatMap((ip) => canonicalAddress(ip) ?? []))];
  if (spec?.hostNetwork === true || addresses.length === 0 || isPodTerminal(pod)) return undefined;
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar);
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) =>
    (container.ports ?? []).flatMap(({ name, containerPort: port, protocol: text }) => {
      const protocol = protocolOf(text);
      return name === undefined || protocol === undefined ? [] : [{ name, protocol, port }];
    }),
  );
  const { namespace = '', name = '', labels = {} } = metadata;
  return { key: `${namespace}/${name}`, namespace, labels, addresses, isLocal: spec?.nodeName === nodeName, ports };
}
