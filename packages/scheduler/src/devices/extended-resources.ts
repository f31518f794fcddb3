import { EXTENDED_RESOURCE_CLAIM } from '@binnacle/api';
import type { Container, ContainerExtendedResourceRequest, Pod } from '@binnacle/api/core/v1';
import type { DeviceClass, DeviceRequest, ResourceClaim } from '@binnacle/api/resource/v1';
import { quantityValue } from '@binnacle/machinery';

/** What a pod's extended resources are as a claim, and which container gets what by which request of it. */
export interface ResourceWish {
  /** Not in the API yet: it has no name. */
  readonly claim: ResourceClaim;
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Asks for the devices that stand for these resources of a pod. `uid`: what the claim is called until it has one. */
export function wishFor(pod: Pod, resources: ReadonlyMap<string, DeviceClass>, uid: string): ResourceWish {
  const { name = '', namespace = '', uid: podUid = '' } = pod.metadata;
  const requests: DeviceRequest[] = [];
  const mappings: ContainerExtendedResourceRequest[] = [];
  for (const [resource, found] of [...resources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const asked = new Asking(pod, resource, found.metadata.name ?? '');
    requests.push(...asked.requests);
    mappings.push(...asked.mappings);
  }
  const metadata = {
    namespace,
    uid,
    generateName: `${name}-extended-resources-`,
    annotations: { [EXTENDED_RESOURCE_CLAIM]: 'true' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: podUid, controller: true }],
  };
  const sorted = requests.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { claim: { metadata, spec: { devices: { requests: sorted } } }, mappings };
}

interface Place {
  readonly container: Container;
  /** Among all containers, the first ones first. */
  readonly index: number;
}

/** The one request for what containers need more of; no request has such a name. */
const MORE = '';

/**
 * One resource of a pod as requests: containers that run side by side have devices of their own; those that end before the next
 * one starts use what later containers get, and share one request for what they need more of.
 */
class Asking {
  readonly requests: DeviceRequest[] = [];
  readonly mappings: ContainerExtendedResourceRequest[] = [];
  readonly #resource: string;
  readonly #className: string;

  constructor({ spec }: Pod, resource: string, className: string) {
    this.#resource = resource;
    this.#className = className;
    const all = [...(spec.initContainers ?? []), ...spec.containers].map((container, index) => ({ container, index }));
    const passing = all.slice(0, spec.initContainers?.length ?? 0).filter(isPassing);
    const staying = all.filter((one) => !passing.includes(one));
    const own = new Map<number, DeviceRequest>();
    for (const place of staying) {
      const count = this.#countOf(place);
      if (count === 0) continue;
      const request = this.#request(place, count);
      own.set(place.index, request);
      this.#map(place, request.name);
    }
    this.#lend(passing, own);
    this.requests.push(...own.values());
  }

  #lend(passing: readonly Place[], own: ReadonlyMap<number, DeviceRequest>): void {
    let most: DeviceRequest | undefined;
    const uses: { readonly place: Place; readonly request: string }[] = [];
    for (const place of passing) {
      let missing = this.#countOf(place);
      for (const [index, { name, exactly }] of own) {
        if (missing <= 0) break;
        if (index < place.index) continue;
        uses.push({ place, request: name });
        missing -= exactly?.count ?? 0;
      }
      if (missing <= 0) continue;
      uses.push({ place, request: MORE });
      if ((most?.exactly?.count ?? 0) < missing) most = this.#request(place, missing);
    }
    for (const { place, request } of uses) this.#map(place, request === MORE ? (most?.name ?? '') : request);
    if (most !== undefined) this.requests.push(most);
  }

  #map({ container }: Place, requestName: string): void {
    this.mappings.push({ containerName: container.name, resourceName: this.#resource, requestName });
  }

  #countOf({ container }: Place): number {
    const amounts = container.resources?.requests ?? {};
    return Object.hasOwn(amounts, this.#resource) ? quantityValue(amounts[this.#resource] ?? '0') : 0;
  }

  /** Named after the container's place, and that of the resource among all that the container asks for. */
  #request({ container, index }: Place, count: number): DeviceRequest {
    const names = Object.keys(container.resources?.requests ?? {}).toSorted();
    const name = `container-${index}-request-${names.indexOf(this.#resource)}`;
    const exactly = { deviceClassName: this.#className, allocationMode: 'ExactCount' as const, count };
    return { name, exactly };
  }
}

/** It ends before the next container starts. */
function isPassing({ container }: Place): boolean {
  return container.restartPolicy !== 'Always';
}
