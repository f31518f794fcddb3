import type { AdmissionPlugin } from '../ports/admission.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { GuaranteedUpdate } from '../ports/guaranteed-update.ts';
import type { PolicyOptions } from '../ports/policy.ts';
import type { RbacIndex } from '../access/rbac/rbac-index.ts';
import { createCertificateRequests } from './certificate-requests.ts';
import { createCertificateSigners } from './certificate-signers.ts';
import { createDefaultIngressClass, createDefaultStorageClass } from './default-class.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { createPodSecurity } from './pod-security/pod-security.ts';
import { createPriority } from './priority.ts';
import { createResourceQuota } from './quota/resource-quota.ts';
import { createRoleEscalation } from './role-escalation.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createServiceAccountAdmission } from './service-account.ts';
import type { ServiceAccountWorld } from './service-account.ts';
import { taintNodesByCondition } from './taint-nodes.ts';

export interface AdmissionWorld extends ServiceAccountWorld, Pick<PolicyOptions, 'checkRequestSignature'> {
  readonly index: RbacIndex;
  readonly authorizer: Authorizer;
  readonly update: GuaranteedUpdate;
}

/** The plugins that are on, in upstream's order. */
export function createAdmission(world: AdmissionWorld): readonly AdmissionPlugin[] {
  const { cache, clock, index, authorizer, update } = world;
  return [
    createNamespaceLifecycle(cache),
    createLimitRanger(cache),
    createServiceAccountAdmission(world),
    createNodeRestriction(cache),
    taintNodesByCondition,
    createPodSecurity({ cache, clock }),
    createPriority(cache),
    defaultTolerationSeconds,
    createDefaultStorageClass(cache),
    createRuntimeClass(cache),
    ...createCertificateSigners(authorizer),
    createCertificateRequests(world.checkRequestSignature),
    createDefaultIngressClass(cache),
    // Upstream has this in the storage of roles and bindings: after everything that changes them.
    createRoleEscalation(index, authorizer),
    createResourceQuota({ cache, clock, update }),
  ];
}
