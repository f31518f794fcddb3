/** The types of what expressions of admission look at: the request, and the namespace that it is in. */
import { BOOL, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from '../types.ts';
import type { ObjectType, Type } from '../types.ts';

function objectType(name: string, fields: { readonly [field: string]: Type }): ObjectType {
  return { kind: 'object', name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}

const KIND = objectType('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = objectType('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });

const USER = objectType('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

/** `request`: AdmissionReview's, without the objects. */
export const REQUEST_TYPE: ObjectType = objectType('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
});

const CONDITION = objectType('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

/** `namespaceObject`: without owners and managed fields. */
export const NAMESPACE_TYPE: ObjectType = objectType('kubernetes.Namespace', {
  metadata: objectType('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: objectType('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: objectType('kubernetes.NamespaceStatus', { conditions: listOf(CONDITION), phase: STRING }),
});

/** An operation of a JSON patch, as an expression writes it. */
const JSON_PATCH = objectType('JSONPatch', { op: STRING, path: STRING, from: STRING, value: DYN });

/** `Object`, `Object.spec…`: fields of any name. Whether the names fit where they stand is asked of what is made. */
function anyObject(name: string): ObjectType {
  return { kind: 'object', name, field: () => DYN };
}

/** What expressions of mutating policies may write. */
export const PATCH_OBJECTS = {
  get(name: string): ObjectType | undefined {
    if (name === 'JSONPatch') return JSON_PATCH;
    return name === 'Object' || name.startsWith('Object.') ? anyObject(name) : undefined;
  },
};
