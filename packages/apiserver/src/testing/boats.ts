/** The definition of `boats.ships.io` in one version, `v1`, of this schema. */
export function boatsOf(openAPIV3Schema: object) {
  return boatsIn([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
}

/** The same in these versions. */
export function boatsIn<Version extends object>(versions: readonly Version[]) {
  return {
    metadata: { name: 'boats.ships.io' },
    spec: { group: 'ships.io', scope: 'Namespaced', names: { plural: 'boats', kind: 'Boat' }, versions },
  };
}
