import type { ResourceInfo } from '@binnacle/api';
import { NO_FIELDS, readFieldSet } from '@binnacle/machinery';
import type { FieldSet } from '@binnacle/machinery';

const STATUS = readFieldSet({ 'f:status': {} });
const SPEC = readFieldSet({ 'f:spec': {} });
const SPEC_AND_METADATA = readFieldSet({ 'f:spec': {}, 'f:metadata': {} });

interface OwnBranches {
  readonly group: string;
  readonly of: { readonly [subresource: string]: FieldSet };
}

/** Kinds that have their own of it, by what of them is written; as upstream's strategies say. */
const OWN: ReadonlyMap<string, OwnBranches> = new Map<string, OwnBranches>([
  ['Deployment', { group: 'apps', of: { status: readFieldSet({ 'f:spec': {}, 'f:metadata': { 'f:labels': {} } }) } }],
  [
    'Pod',
    {
      group: '',
      of: {
        status: readFieldSet({ 'f:spec': {}, 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} } }),
      },
    },
  ],
  ['Namespace', { group: '', of: { finalize: STATUS } }],
  [
    'CertificateSigningRequest',
    {
      group: 'certificates.k8s.io',
      of: {
        '': readFieldSet({ 'f:spec': {}, 'f:status': {} }),
        status: readFieldSet({ 'f:spec': {}, 'f:status': { 'f:conditions': {} } }),
        approval: readFieldSet({ 'f:spec': {}, 'f:status': { 'f:certificate': {} } }),
      },
    },
  ],
]);

/** Kinds whose status takes nothing of the metadata that comes with it; all custom ones do. */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'apiregistration.k8s.io/APIService',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'networking.k8s.io/ServiceCIDR',
  'resource.k8s.io/DeviceTaintRule',
  'resource.k8s.io/ResourceClaim',
  'storage.k8s.io/VolumeAttachment',
  'storagemigration.k8s.io/StorageVersionMigration',
]);

/** What is written, and of what kind. */
export interface Written {
  readonly info: Pick<ResourceInfo, 'group' | 'kind'>;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly hasStatus: boolean;
  readonly isCustom: boolean;
}

/** Branches that a write leaves as they are whatever it says of them: whoever writes the one does not come to own the other. */
export function resetFields({ info, subresource, hasStatus, isCustom }: Written): FieldSet {
  const own = OWN.get(info.kind);
  const branches = own !== undefined && own.group === info.group ? own.of[subresource] : undefined;
  if (branches !== undefined) return branches;
  if (subresource !== 'status') return hasStatus ? STATUS : NO_FIELDS;
  return isCustom || STATUS_ALONE.has(`${info.group}/${info.kind}`) ? SPEC_AND_METADATA : SPEC;
}

/** Whether a write of the status takes nothing of the metadata that comes with it. */
export function keepsMetadata(written: Omit<Written, 'subresource'>): boolean {
  return resetFields({ ...written, subresource: 'status' }) === SPEC_AND_METADATA;
}
