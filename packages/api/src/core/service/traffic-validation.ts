import { names } from '@binnacle/machinery';
import type { Service } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { isExternallyAccessible } from './defaults.ts';
import { needsHealthCheck } from './questions.ts';

const SPEC = fieldPath('spec');
const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameNode', 'PreferSameZone'];
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

/** How traffic finds its way to a service's pods, from outside and from within. */
export function validateTraffic(service: Service, report: Report): void {
  validateLoadBalancer(service, report);
  validateExternal(service, report);
  validateHealthCheck(service, report);
  const spec = service.spec ?? {};
  const internal = spec.internalTrafficPolicy;
  const path = SPEC.child('internalTrafficPolicy');
  if (internal) {
    if (!POLICIES.includes(internal)) report.unsupported(path, internal, POLICIES);
  } else if (spec.type === 'NodePort' || spec.type === 'LoadBalancer' || spec.type === 'ClusterIP')
    report.required(path);
  const distribution = spec.trafficDistribution;
  if (distribution !== undefined && !DISTRIBUTIONS.includes(distribution)) {
    report.unsupported(SPEC.child('trafficDistribution'), distribution, DISTRIBUTIONS);
  }
}

function validateLoadBalancer(service: Service, report: Report): void {
  const { type, allocateLoadBalancerNodePorts: allocate, loadBalancerClass } = service.spec ?? {};
  const isBalanced = type === 'LoadBalancer';
  const isSet = allocate !== undefined && allocate !== null;
  if (isSet && !isBalanced) report.forbidden(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_BALANCED);
  // Upstream leaves `spec` out of this path.
  if (!isSet && isBalanced) report.required(fieldPath('allocateLoadBalancerNodePorts'));
  if (loadBalancerClass === undefined || loadBalancerClass === null) return;
  const path = SPEC.child('loadBalancerClass');
  if (isBalanced) report.invalidEach(path, loadBalancerClass, names.qualifiedNameErrors(loadBalancerClass));
  else report.forbidden(path, ONLY_BALANCED);
}

function validateExternal(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  const policy = spec.externalTrafficPolicy;
  const path = SPEC.child('externalTrafficPolicy');
  if (!isExternallyAccessible(spec)) {
    if (policy) report.invalid(path, policy, 'may only be set for externally-accessible services');
  } else if (!policy) report.required(path);
  else if (!POLICIES.includes(policy)) report.unsupported(path, policy, POLICIES);
}

function validateHealthCheck(service: Service, report: Report): void {
  const port = service.spec?.healthCheckNodePort ?? 0;
  const path = SPEC.child('healthCheckNodePort');
  if (!needsHealthCheck(service)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    if (port !== 0) report.invalid(path, port, detail);
  } else if (port === 0) report.required(path);
  else report.invalidEach(path, port, names.portNumberErrors(port));
}
