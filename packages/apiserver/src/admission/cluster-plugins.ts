import { findKind } from '@binnacle/api';
import { parseGroupVersion } from '@binnacle/machinery';
import { createSubjectRestriction } from './certificate-requests.ts';
import { createCertificateApproval, createCertificateSigning, createTrustBundleAttest } from './certificate-signers.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-class.ts';
import { createNamespaceAutoProvision, createNamespaceExists } from './namespace-existence.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { createOwnerReferences } from './owner-references.ts';
import { OFF, row } from './plugin-row.ts';
import type { PluginRow } from './plugin-row.ts';
import * as rules from './pod-rules.ts';
import { protectStorageInUse } from './storage-protection.ts';

/** The plugins that look at everything but pods, and at what it is and not at how much. NodeRestriction is on as in every real cluster. */
export const CLUSTER_PLUGINS: readonly PluginRow[] = [
  row('AlwaysAdmit', () => rules.alwaysAdmit, OFF),
  row('NamespaceAutoProvision', ({ cache, loopback }) => createNamespaceAutoProvision(cache, loopback), OFF),
  row('NamespaceLifecycle', ({ cache }) => createNamespaceLifecycle(cache)),
  row('NamespaceExists', ({ cache }) => createNamespaceExists(cache), OFF),
  row('NodeRestriction', ({ cache }) => createNodeRestriction(cache)),
  row('DefaultStorageClass', ({ cache }) => createDefaultStorageClass(cache)),
  row('StorageObjectInUseProtection', () => protectStorageInUse),
  row(
    'OwnerReferencesPermissionEnforcement',
    ({ authorizer }) =>
      createOwnerReferences(authorizer, (apiVersion, kind) => {
        const { group, version } = parseGroupVersion(apiVersion);
        return findKind(group, version, kind);
      }),
    OFF,
  ),
  row('CertificateApproval', ({ authorizer }) => createCertificateApproval(authorizer)),
  row('CertificateSigning', ({ authorizer }) => createCertificateSigning(authorizer)),
  row('ClusterTrustBundleAttest', ({ authorizer }) => createTrustBundleAttest(authorizer)),
  row('CertificateSubjectRestriction', () => createSubjectRestriction()),
  row('DefaultIngressClass', ({ cache }) => createDefaultIngressClass(cache)),
  row('DenyServiceExternalIPs', () => rules.denyExternalIps, OFF),
  row('AlwaysDeny', () => rules.alwaysDeny, OFF),
];
