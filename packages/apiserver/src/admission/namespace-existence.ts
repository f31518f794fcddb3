import { NAMESPACES } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';

function isInNamespace({ info, namespace }: AdmissionAttributes): boolean {
  return info.namespaced && namespace !== '';
}

/** A namespace that is missing is made when something is created in it. */
export function createNamespaceAutoProvision(cache: CacheReader, loopback: Pick<Wire, 'call'>): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: (operation, info) => operation === 'CREATE' && info.namespaced,
    async admit(attributes) {
      const { namespace, dryRun } = attributes;
      if (dryRun || !isInNamespace(attributes) || cache.get(NAMESPACES, '', namespace) !== undefined) return;
      const body = { metadata: { name: namespace } };
      await loopback.call({ verb: 'create', resource: NAMESPACES, body }).catch((error: unknown) => {
        if (!status.isAlreadyExists(error)) throw error;
      });
    },
  };
}

/** Nothing happens in a namespace that is not there. */
export function createNamespaceExists(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: (operation, info) => operation !== 'CONNECT' && info.namespaced,
    async validate(attributes) {
      const { namespace } = attributes;
      if (!isInNamespace(attributes) || cache.get(NAMESPACES, '', namespace) !== undefined) return;
      if ((await cache.getLive(NAMESPACES, '', namespace)) === undefined) throw status.notFound(NAMESPACES, namespace);
    },
  };
}
