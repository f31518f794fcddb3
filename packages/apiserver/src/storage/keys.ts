/** Under which all objects are kept, as upstream keeps them. */
export const REGISTRY = '/registry/';

/** `namespace/name`, or the name for cluster-scoped objects: how a cache and a store key go on after the prefix. */
export function keyOf(namespaced: boolean, namespace: string, name: string): string {
  return namespaced ? flat(namespace, '/', name) : name;
}

/** One text in one piece: keys are compared and hashed again and again, which a text in parts makes slow. */
export function flat(...parts: readonly string[]): string {
  return parts.join('');
}
