import { DEFINITION_STRATEGY } from './apiextensions/definition-strategy.ts';
import { DAEMON_SET_STRATEGY } from './apps/daemon-sets/strategy.ts';
import { DEPLOYMENT_STRATEGY } from './apps/deployments/strategy.ts';
import { ENDPOINT_SLICE_STRATEGY } from './discovery/endpoint-slices/strategy.ts';
import { AUTOSCALER_CONVERSION } from './autoscaling/horizontal-pod-autoscalers/conversion.ts';
import { JOB_STRATEGY } from './batch/jobs/strategy.ts';
import type { KindBehaviours } from './behaviour.ts';
import * as admission from './columns/admission.ts';
import * as config from './columns/config.ts';
import * as control from './columns/control.ts';
import * as devices from './columns/devices.ts';
import * as network from './columns/network.ts';
import { roleBindingPrinter } from './columns/rbac.ts';
import * as storage from './columns/storage.ts';
import * as workloads from './columns/workloads.ts';

/** The resources of all named groups: one row for each that does anything of its own, by group (see core/table.ts). */
export const GROUP_KINDS: KindBehaviours = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.mutatingPolicyPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.policyBindingPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.webhookConfigurationPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.validatingPolicyPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.policyBindingPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    eager: true,
    columns: admission.webhookConfigurationPrinter,
    generation: true,
    unconditionalUpdate: false,
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    generation: true,
    unconditionalUpdate: false,
    eager: true,
    strategy: DEFINITION_STRATEGY,
    columns: config.createdPrinter,
  },
  'apiservices.apiregistration.k8s.io': {
    columns: admission.apiServicePrinter,
    unconditionalUpdate: false,
    eager: true,
  },
  'controllerrevisions.apps': { generation: true, columns: workloads.controllerRevisionPrinter },
  'daemonsets.apps': { generation: true, strategy: DAEMON_SET_STRATEGY, columns: workloads.daemonSetPrinter },
  'deployments.apps': { generation: true, strategy: DEPLOYMENT_STRATEGY, columns: workloads.deploymentPrinter },
  'replicasets.apps': { generation: true, columns: workloads.replicaSetPrinter },
  'statefulsets.apps': { generation: true, columns: workloads.statefulSetPrinter },
  'horizontalpodautoscalers.autoscaling': {
    columns: control.autoscalerPrinter,
    versions: { 'autoscaling/v1': { conversion: AUTOSCALER_CONVERSION, columns: control.autoscalerV1Printer } },
  },
  'cronjobs.batch': { generation: true, columns: workloads.cronJobPrinter },
  'jobs.batch': { generation: true, strategy: JOB_STRATEGY, columns: workloads.jobPrinter },
  'leases.coordination.k8s.io': {
    unconditionalUpdate: false,
    createOnUpdate: true,
    eager: true,
    columns: config.leasePrinter,
  },
  'endpointslices.discovery.k8s.io': {
    eager: true,
    generation: true,
    strategy: ENDPOINT_SLICE_STRATEGY,
    columns: network.endpointSlicePrinter,
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    columns: control.flowSchemaPrinter,
    eager: true,
    generation: true,
    unconditionalUpdate: false,
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    columns: control.priorityLevelPrinter,
    eager: true,
    generation: true,
    unconditionalUpdate: false,
  },
  'ingressclasses.networking.k8s.io': { generation: true, eager: true, columns: network.ingressClassPrinter },
  'ingresses.networking.k8s.io': { generation: true, columns: network.ingressPrinter },
  'ipaddresses.networking.k8s.io': { eager: true, columns: network.ipAddressPrinter },
  'networkpolicies.networking.k8s.io': { generation: true, columns: network.networkPolicyPrinter },
  'servicecidrs.networking.k8s.io': { eager: true, columns: network.serviceCidrPrinter },
  'runtimeclasses.node.k8s.io': { unconditionalUpdate: false, eager: true, columns: config.runtimeClassPrinter },
  'poddisruptionbudgets.policy': {
    generation: true,
    unconditionalUpdate: false,
    eager: true,
    columns: config.podDisruptionBudgetPrinter,
  },
  'clusterrolebindings.rbac.authorization.k8s.io': { createOnUpdate: true, eager: true, columns: roleBindingPrinter },
  'clusterroles.rbac.authorization.k8s.io': { createOnUpdate: true, eager: true, columns: config.createdPrinter },
  'rolebindings.rbac.authorization.k8s.io': { createOnUpdate: true, eager: true, columns: roleBindingPrinter },
  'roles.rbac.authorization.k8s.io': { createOnUpdate: true, eager: true, columns: config.createdPrinter },
  'deviceclasses.resource.k8s.io': { columns: devices.plainPrinter, generation: true, eager: true },
  'resourceslices.resource.k8s.io': { columns: devices.resourceSlicePrinter, generation: true, eager: true },
  'priorityclasses.scheduling.k8s.io': { generation: true, eager: true, columns: config.priorityClassPrinter },
  'csidrivers.storage.k8s.io': { columns: devices.csiDriverPrinter, generation: true, unconditionalUpdate: false },
  'csinodes.storage.k8s.io': { columns: devices.csiNodePrinter, unconditionalUpdate: false },
  'csistoragecapacities.storage.k8s.io': { columns: devices.csiStorageCapacityPrinter, unconditionalUpdate: false },
  'storageclasses.storage.k8s.io': { eager: true, columns: storage.storageClassPrinter },
  'volumeattachments.storage.k8s.io': {
    columns: devices.volumeAttachmentPrinter,
    unconditionalUpdate: false,
    eager: true,
  },
  'resourceclaims.resource.k8s.io': { columns: devices.resourceClaimPrinter, eager: true },
  'resourceclaimtemplates.resource.k8s.io': { columns: devices.plainPrinter },
  'volumeattributesclasses.storage.k8s.io': { columns: devices.volumeAttributesClassPrinter },
};
