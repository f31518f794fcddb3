import { NAMESPACES, isNamespaceTerminating } from '@binnacle/api';
import type { Namespace } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** Nothing is made in a namespace that does not exist or is going away; the system's namespaces stay. */
export function createNamespaceLifecycle(cache: CacheReader): AdmissionPlugin {
  const find = (name: string): Namespace | undefined => cache.get(NAMESPACES, '', name) as Namespace | undefined;
  return {
    name: 'NamespaceLifecycle',
    handles: (operation, info) =>
      operation === 'DELETE' ? isNamespaces(info) : operation !== 'CONNECT' && info.namespaced && !isReview(info),
    admit(attributes) {
      const { operation, name, namespace } = attributes;
      if (operation === 'DELETE') {
        if (IMMORTAL.has(name)) throw refuse(attributes, 'this namespace may not be deleted');
        return undefined;
      }
      const known = find(namespace);
      if (known !== undefined) return check(attributes, known);
      return checkLive(attributes, cache);
    },
  };
}

/** The cache may be behind: the namespace can have been made by another API server a moment ago. */
async function checkLive(attributes: AdmissionAttributes, cache: CacheReader): Promise<void> {
  const namespace = (await cache.getLive(NAMESPACES, '', attributes.namespace)) as Namespace | undefined;
  if (namespace === undefined) throw status.notFound(NAMESPACES, attributes.namespace);
  check(attributes, namespace);
}

function check(attributes: AdmissionAttributes, namespace: Namespace): void {
  if (attributes.operation !== 'CREATE' || !isNamespaceTerminating(namespace)) return;
  const name = attributes.namespace;
  throw refuse(attributes, `unable to create new content in namespace ${name} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
  ]);
}

function isNamespaces(info: AdmissionAttributes['info']): boolean {
  return info.group === '' && info.resource === 'namespaces';
}

/** Questions about a namespace need not wait for it. */
function isReview(info: AdmissionAttributes['info']): boolean {
  return info.group === 'authorization.k8s.io';
}
