import { deepEqual, parseGroupVersion } from '@binnacle/machinery';
import type { GroupVersionResource, OwnerReference } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { Authorizer, RequestAttributes } from '../ports/authorization.ts';
import { refuse } from './refusal.ts';

/** What a kind is served as; undefined where nobody serves it. */
export type KindLookup = (
  apiVersion: string,
  kind: string,
) => (GroupVersionResource & { readonly namespaced: boolean }) | undefined;

/**
 * Whoever makes an object depend on another has to be allowed to delete it, since that is what may come of it; and
 * whoever holds up the owner's deletion that way, to hold it up by finalizers.
 */
export function createOwnerReferences(authorizer: Authorizer, findKind: KindLookup): AdmissionPlugin {
  const allows = async (attributes: RequestAttributes): Promise<string | undefined> => {
    const { decision, reason } = await authorizer.authorize(attributes);
    return decision === 'allow' ? undefined : reason;
  };
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (operation, info, subresource) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      !(info.group === '' && info.resource === 'pods' && subresource === 'status'),
    validate(attributes) {
      const refs = attributes.object?.metadata.ownerReferences ?? NO_REFERENCES;
      const old = attributes.before?.metadata.ownerReferences ?? NO_REFERENCES;
      return deepEqual(refs, old) ? undefined : checkChange(attributes, { refs, old }, { findKind, allows });
    },
  };
}

const NO_REFERENCES: readonly OwnerReference[] = [];

interface Judges {
  readonly findKind: KindLookup;
  /** Why not; undefined: it is allowed. */
  readonly allows: (asked: RequestAttributes) => Promise<string | undefined>;
}

async function checkChange(
  attributes: AdmissionAttributes,
  { refs, old }: { readonly refs: readonly OwnerReference[]; readonly old: readonly OwnerReference[] },
  judges: Judges,
): Promise<void> {
  const { allows } = judges;
  if (attributes.operation !== 'CREATE') {
    const why = await allows(toDelete(attributes));
    if (why !== undefined) {
      throw refuse(attributes, `cannot set an ownerRef on a resource you can't delete: ${why}, <nil>`);
    }
  }
  const blocked = new Set(old.filter((ref) => ref.blockOwnerDeletion === true).map(({ uid }) => uid));
  const blocking = refs.filter((ref) => ref.blockOwnerDeletion === true && !blocked.has(ref.uid));
  if (blocking.length === 0 || (await allows(toFinalize(attributes, ANYTHING))) === undefined) return;
  for (const ref of blocking) await checkBlocking(attributes, ref, judges);
}

const ANYTHING = { group: '*', version: '*', resource: '*', namespace: '', name: '*' };

async function checkBlocking(
  attributes: AdmissionAttributes,
  ref: OwnerReference,
  { findKind, allows }: Judges,
): Promise<void> {
  const { group, version } = parseGroupVersion(ref.apiVersion);
  const found = findKind(ref.apiVersion, ref.kind);
  if (found === undefined) {
    throw refuse(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${ref.apiVersion} Kind ${ref.kind}: no matches for kind "${ref.kind}" in version "${ref.apiVersion}"`,
    );
  }
  const namespace = found.namespaced ? attributes.namespace : '';
  const owner = { group, version, resource: found.resource, namespace, name: ref.name };
  const why = await allows(toFinalize(attributes, owner));
  if (why === undefined) return;
  throw refuse(
    attributes,
    `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}, <nil>`,
  );
}

function toDelete({ user, info, subresource, namespace, name }: AdmissionAttributes): RequestAttributes {
  const { group, version, resource } = info;
  return { user, verb: 'delete', isResource: true, path: '', group, version, resource, subresource, namespace, name };
}

function toFinalize({ user }: AdmissionAttributes, owner: typeof ANYTHING): RequestAttributes {
  return { user, verb: 'update', isResource: true, path: '', subresource: 'finalizers', ...owner };
}
