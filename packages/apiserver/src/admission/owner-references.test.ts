import { findKind } from '@binnacle/api';
import { parseGroupVersion } from '@binnacle/machinery';
import type { Authorizer } from '../ports/authorization.ts';
import { admissionTable } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { createOwnerReferences } from './owner-references.ts';

/** `deleter` may delete, `finalizer` may update the finalizers of ReplicaSets in `a`, `boss` of everything. */
const authorizer: Authorizer = {
  authorize({ user, verb, resource, subresource, namespace }) {
    const isAllowed =
      (verb === 'delete' && user.name !== 'nobody') ||
      (user.name === 'boss' && subresource === 'finalizers') ||
      (user.name === 'finalizer' && resource === 'replicasets' && subresource === 'finalizers' && namespace === 'a');
    return { decision: isAllowed ? 'allow' : 'noOpinion', reason: isAllowed ? '' : 'not theirs' };
  },
};

const plugin = createOwnerReferences(authorizer, (apiVersion, kind) => {
  const { group, version } = parseGroupVersion(apiVersion);
  return findKind(group, version, kind);
});

const owned = (ref?: object): object => ({
  metadata: { namespace: 'a', name: 'p', ...(ref === undefined ? {} : { ownerReferences: [ref] }) },
});
const blocking = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', blockOwnerDeletion: true };
const by = (user: string, object: object, before?: object): AdmissionCase => ({
  operation: before === undefined ? 'CREATE' : 'UPDATE',
  resource: 'pods',
  object,
  user: { name: user, groups: [] },
  ...(before === undefined ? {} : { before }),
});
const FINALIZERS =
  'pods "p" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: not theirs, <nil>';

admissionTable(plugin, [
  ['no owner', by('nobody', owned(), owned()), undefined],
  ['an owner of a new object', by('nobody', owned({ ...blocking, blockOwnerDeletion: false })), undefined],
  [
    'an owner of what one cannot delete',
    by('nobody', owned({ ...blocking, blockOwnerDeletion: false }), owned()),
    'pods "p" is forbidden: cannot set an ownerRef on a resource you can\'t delete: not theirs, <nil>',
  ],
  [
    'an owner of what one can delete',
    by('deleter', owned({ ...blocking, blockOwnerDeletion: false }), owned()),
    undefined,
  ],
  ['blocking an owner that is not theirs', by('deleter', owned(blocking)), FINALIZERS],
  ['blocking as before', by('nobody', owned(blocking), owned(blocking)), undefined],
  ['blocking who may', by('finalizer', owned(blocking)), undefined],
  ['blocking who may everything', by('boss', owned({ ...blocking, kind: 'Nothing' })), undefined],
  [
    'blocking what is unknown',
    by('finalizer', owned({ ...blocking, kind: 'Nothing' })),
    'pods "p" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Nothing: no matches for kind "Nothing" in version "apps/v1"',
  ],
]);
