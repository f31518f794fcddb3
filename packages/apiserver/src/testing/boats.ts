/** The definition of `boats.ships.io` in one version, `v1`, of this schema. */
export function boatsOf(openAPIV3Schema: object) {
  return {
    metadata: { name: 'boats.ships.io' },
    spec: {
      group: 'ships.io',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
