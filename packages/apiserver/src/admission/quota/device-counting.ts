import { ExtendedResourceClasses, podOfResources } from '@binnacle/api';
import type { DeviceCounting } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@binnacle/api/resource/v1';
import type { CacheReader } from '../../ports/reader.ts';

const PODS = { group: '', resource: 'pods' };
const CLASSES = { group: 'resource.k8s.io', resource: 'deviceclasses' };
const CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims' };

/** What claims of devices are counted with, from the server's own caches. */
export function deviceCounting(cache: CacheReader): DeviceCounting {
  const classes = new ExtendedResourceClasses(() => cache.list(CLASSES) as readonly DeviceClass[]);
  cache.follow(CLASSES, () => classes.invalidate());
  const byPod = new ClaimsByPod();
  cache.follow(CLAIMS, (before, after) => {
    if (before !== undefined) byPod.remove(before as ResourceClaim);
    if (after !== undefined) byPod.add(after as ResourceClaim);
  });
  return {
    classes,
    pod: (namespace, name) => cache.get(PODS, namespace, name) as Pod | undefined,
    claimsForPod: (namespace, uid) => byPod.of(namespace, uid),
  };
}

/** The claims that were made for the extended resources of pods: of other claims nothing is kept. */
class ClaimsByPod {
  readonly #claims = new Map<string, Map<string, ResourceClaim>>();

  of(namespace: string, uid: string): readonly ResourceClaim[] {
    return [...(this.#claims.get(`${namespace}/${uid}`)?.values() ?? [])];
  }

  add(claim: ResourceClaim): void {
    const { namespace = '', name = '' } = claim.metadata;
    for (const uid of podOfResources(claim)) {
      const key = `${namespace}/${uid}`;
      const known = this.#claims.get(key) ?? new Map<string, ResourceClaim>();
      this.#claims.set(key, known.set(name, claim));
    }
  }

  remove(claim: ResourceClaim): void {
    const { namespace = '', name = '' } = claim.metadata;
    for (const uid of podOfResources(claim)) {
      const key = `${namespace}/${uid}`;
      const known = this.#claims.get(key);
      known?.delete(name);
      if (known?.size === 0) this.#claims.delete(key);
    }
  }
}
