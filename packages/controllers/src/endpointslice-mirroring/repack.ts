import type { EndpointAddress, EndpointPort, EndpointSubset } from '@binnacle/api/core/v1';

/** Addresses that are served at the same ports. */
export interface PackedSubset {
  readonly ports: readonly EndpointPort[];
  /** Ready ones first, each kind in the order of its text. */
  readonly addresses: readonly { readonly address: EndpointAddress; readonly ready: boolean }[];
}

type Members = ReadonlyMap<string, { readonly address: EndpointAddress; readonly ready: boolean }>;

/**
 * The same addresses at the same ports, each once and in as few subsets as there can be: people write them in any way. What is
 * called ready in one place and not ready in another is not ready. Ports that the same subsets name go together, so that the
 * work follows the size of the object and not its addresses times its ports.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): readonly PackedSubset[] {
  const packed = new Map<string, { readonly ports: EndpointPort[]; readonly members: Members }>();
  for (const { ports, at } of portsByPlace(subsets)) {
    const members = membersOf(at.flatMap((place) => subsets[place] ?? []));
    if (members.size === 0) continue;
    const key = JSON.stringify([...members].map(([name, { ready }]) => [name, ready] as const).sort(byText));
    const known = packed.get(key);
    if (known === undefined) packed.set(key, { ports: [...ports], members });
    else known.ports.push(...ports);
  }
  return [...packed.values()].map(({ ports, members }) => ({ ports, addresses: inOrder(members) }));
}

/** Ports with the places of the subsets that name them; subsets without ports are one group of none. */
function portsByPlace(
  subsets: readonly EndpointSubset[],
): readonly { readonly ports: readonly EndpointPort[]; readonly at: readonly number[] }[] {
  const places = new Map<string, { readonly port: EndpointPort | undefined; readonly at: Set<number> }>();
  for (const [place, { ports = [] }] of subsets.entries()) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = JSON.stringify([port?.name ?? '', port?.port, port?.protocol ?? 'TCP', port?.appProtocol]);
      const known = places.get(key);
      if (known === undefined) places.set(key, { port, at: new Set([place]) });
      else known.at.add(place);
    }
  }
  const together = new Map<string, { readonly ports: EndpointPort[]; readonly at: readonly number[] }>();
  for (const { port, at } of places.values()) {
    const key = [...at].join();
    const known = together.get(key);
    const ports = port === undefined ? [] : [port];
    if (known === undefined) together.set(key, { ports, at: [...at] });
    else known.ports.push(...ports);
  }
  return [...together.values()];
}

function membersOf(subsets: readonly EndpointSubset[]): Members {
  const members = new Map<string, { readonly address: EndpointAddress; readonly ready: boolean }>();
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    for (const address of addresses)
      if (!members.has(nameOf(address))) members.set(nameOf(address), { address, ready: true });
    for (const address of notReadyAddresses) {
      const first = members.get(nameOf(address))?.address ?? address;
      members.set(nameOf(address), { address: first, ready: false });
    }
  }
  return members;
}

/** Two pods may have one address: they are told apart. */
function nameOf({ ip, targetRef }: EndpointAddress): string {
  return `${ip} ${targetRef?.uid ?? ''}`;
}

function inOrder(members: Members): PackedSubset['addresses'] {
  const sorted = [...members].sort(byText).map(([, member]) => member);
  return [...sorted.filter(({ ready }) => ready), ...sorted.filter(({ ready }) => !ready)];
}

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
