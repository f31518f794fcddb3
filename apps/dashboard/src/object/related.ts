import type { ApiObject } from '../live/rows.ts';

/** Who an object belongs to, as it says itself. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** The owners in an object's metadata. */
export function ownersOf({ metadata }: Pick<ApiObject, 'metadata'>): readonly OwnerReference[] {
  const { ownerReferences } = metadata as { readonly ownerReferences?: readonly OwnerReference[] };
  return ownerReferences ?? [];
}

/** A reference from one object to another by name. */
export interface Mention {
  /** The field that names it: `spec.serviceAccountName`. */
  readonly field: string;
  readonly resource: string;
  readonly group: string;
  readonly name: string;
  readonly namespaced: boolean;
}

interface Named {
  readonly resource: string;
  readonly namespaced: boolean;
  /** Absent: core. */
  readonly group?: string;
}

/** Names of fields that name objects, wherever they stand. */
const BY_FIELD: { readonly [field: string]: Named } = {
  nodeName: { resource: 'nodes', namespaced: false },
  serviceAccountName: { resource: 'serviceaccounts', namespaced: true },
  claimName: { resource: 'persistentvolumeclaims', namespaced: true },
  volumeName: { resource: 'persistentvolumes', namespaced: false },
  secretName: { resource: 'secrets', namespaced: true },
  configMapName: { resource: 'configmaps', namespaced: true },
  serviceName: { resource: 'services', namespaced: true },
  storageClassName: { resource: 'storageclasses', namespaced: false, group: 'storage.k8s.io' },
  ingressClassName: { resource: 'ingressclasses', namespaced: false, group: 'networking.k8s.io' },
  priorityClassName: { resource: 'priorityclasses', namespaced: false, group: 'scheduling.k8s.io' },
  runtimeClassName: { resource: 'runtimeclasses', namespaced: false, group: 'node.k8s.io' },
};
/** Fields that hold such a name one step further in. */
const BY_PARENT: { readonly [field: string]: Named } = {
  configMap: { resource: 'configmaps', namespaced: true },
  configMapRef: { resource: 'configmaps', namespaced: true },
  configMapKeyRef: { resource: 'configmaps', namespaced: true },
  secret: { resource: 'secrets', namespaced: true },
  secretRef: { resource: 'secrets', namespaced: true },
  secretKeyRef: { resource: 'secrets', namespaced: true },
  imagePullSecrets: { resource: 'secrets', namespaced: true },
  service: { resource: 'services', namespaced: true },
};
const MENTIONS_MAX = 100;
const STEPS_MAX = 20_000;

/** What an object's spec names, each once. */
export function mentionsOf(object: ApiObject): readonly Mention[] {
  const found = new Map<string, Mention>();
  const rest: { readonly value: unknown; readonly path: string; readonly field: string }[] = [
    { value: object['spec'], path: 'spec', field: 'spec' },
  ];
  for (let steps = 0; steps < STEPS_MAX && found.size < MENTIONS_MAX; steps++) {
    const next = rest.pop();
    if (next === undefined) break;
    const { value, path, field } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      const at = Array.isArray(value) ? path : `${path}.${key}`;
      const own = Array.isArray(value) ? field : key;
      const known = typeof inner === 'string' ? mentionAt(own, field) : undefined;
      if (known !== undefined && inner !== '') {
        const mention = { group: '', ...known, field: at, name: inner as string };
        found.set(`${known.resource}/${mention.name}`, mention);
      }
      rest.push({ value: inner, path: at, field: own });
    }
  }
  return [...found.values()].toSorted((a, b) => a.field.localeCompare(b.field));
}

function mentionAt(key: string, parent: string): Named | undefined {
  if (Object.hasOwn(BY_FIELD, key)) return BY_FIELD[key];
  return key === 'name' && Object.hasOwn(BY_PARENT, parent) ? BY_PARENT[parent] : undefined;
}
