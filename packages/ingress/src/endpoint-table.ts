import { chooseStanding, endpointStanding, wellknown } from '@binnacle/api';
import type { EndpointStanding } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { canonicalAddress } from '@binnacle/base';
import type { BackendProtocol, Place } from './ports.ts';
import type { RouteTarget } from './read-ingress.ts';

/** Who answers for a rule, or why nobody does. */
export type Backend =
  | { readonly kind: 'places'; readonly places: readonly Place[]; readonly protocol: BackendProtocol }
  | { readonly kind: 'nobody'; readonly why: string };

interface Known {
  service: Service | undefined;
  readonly slices: Map<string, EndpointSlice>;
  /** By port, as asked for; computed when it is asked for. */
  readonly backends: Map<number | string, Backend>;
}

const PROTOCOLS: ReadonlyMap<string, BackendProtocol> = new Map([
  ['https', 'https'],
  ['kubernetes.io/wss', 'https'],
  ['kubernetes.io/h2c', 'h2c'],
]);

/** Services and their slices, and who of them takes requests. */
export class EndpointTable {
  readonly #known = new Map<string, Known>();

  setService(service: Service): void {
    this.#touch(keyOf(service.metadata)).service = service;
  }

  removeService({ metadata }: Pick<Service, 'metadata'>): void {
    const known = this.#touch(keyOf(metadata));
    known.service = undefined;
    this.#drop(keyOf(metadata), known);
  }

  setSlice(slice: EndpointSlice): void {
    const key = serviceOf(slice);
    if (key !== undefined) this.#touch(key).slices.set(slice.metadata.name ?? '', slice);
  }

  removeSlice(slice: EndpointSlice): void {
    const key = serviceOf(slice);
    if (key === undefined) return;
    const known = this.#touch(key);
    known.slices.delete(slice.metadata.name ?? '');
    this.#drop(key, known);
  }

  /** Who answers for a rule now. */
  find(target: RouteTarget): Backend {
    if (target.kind === 'resource')
      return { kind: 'nobody', why: `the backend ${target.described} is no Service; others are not served` };
    const { namespace, name, port } = target;
    const known = this.#known.get(`${namespace}/${name}`);
    if (known?.service === undefined) return { kind: 'nobody', why: `Service ${namespace}/${name} does not exist` };
    let backend = known.backends.get(port);
    if (backend === undefined) known.backends.set(port, (backend = backendOf(known.service, known.slices, port)));
    return backend;
  }

  #touch(key: string): Known {
    let known = this.#known.get(key);
    if (known === undefined)
      this.#known.set(key, (known = { service: undefined, slices: new Map(), backends: new Map() }));
    known.backends.clear();
    return known;
  }

  #drop(key: string, { service, slices }: Known): void {
    if (service === undefined && slices.size === 0) this.#known.delete(key);
  }
}

function keyOf({ namespace = '', name = '' }: Service['metadata']): string {
  return `${namespace}/${name}`;
}

function serviceOf({ metadata: { namespace = '', labels = {} } }: EndpointSlice): string | undefined {
  const name = labels[wellknown.LABEL_SERVICE_NAME];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

function backendOf(service: Service, slices: ReadonlyMap<string, EndpointSlice>, asked: number | string): Backend {
  const named = keyOf(service.metadata);
  // Whoever may make Services would send this node's requests to any host of the network.
  if (service.spec?.type === 'ExternalName')
    return { kind: 'nobody', why: `Service ${named} is a name outside of the cluster, which is not served` };
  const port = (service.spec?.ports ?? []).find(
    ({ name, port: number, protocol = 'TCP' }) => protocol === 'TCP' && (number === asked || name === asked),
  );
  if (port === undefined) return { kind: 'nobody', why: `Service ${named} has no TCP port ${asked}` };
  const protocol = PROTOCOLS.get(port.appProtocol ?? '') ?? 'http';
  return { kind: 'places', places: placesOf(slices.values(), port.name ?? ''), protocol };
}

/** Who may answer at a port. */
function placesOf(slices: Iterable<EndpointSlice>, portName: string): Place[] {
  const places = new Map<string, { readonly place: Place; readonly standing: EndpointStanding }>();
  for (const { addressType, ports, endpoints } of slices) {
    if (addressType === 'FQDN') continue;
    const numbers = (ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }) =>
      protocol === 'TCP' && name === portName && port !== undefined && port > 0 ? [port] : [],
    );
    for (const endpoint of endpoints ?? []) {
      const { addresses, nodeName = '', targetRef } = endpoint;
      const address = canonicalAddress(addresses[0] ?? '');
      const standing = endpointStanding(endpoint);
      if (address === undefined) continue;
      const pod =
        targetRef?.kind === 'Pod' ? { namespace: targetRef.namespace ?? '', name: targetRef.name ?? '' } : undefined;
      for (const port of numbers) {
        const place = { address, port, nodeName, ...(pod === undefined ? {} : { pod }) };
        const at = `${address} ${port}`;
        // As the proxy has it: where two slices name it, it is ready if one of them says so.
        if (places.get(at)?.standing !== 'ready') places.set(at, { place, standing });
      }
    }
  }
  return chooseStanding([...places.values()]).map(({ place }) => place);
}
