import type { Service } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { isHeadless, needsHealthCheck } from './questions.ts';

const SPEC = fieldPath('spec');
const ONCE = 'may not change once set';

/** A service keeps its first address and family; a second one may come and go. */
export function validateServiceChange(service: Service, before: Service, report: Report): void {
  const isNamed = service.spec?.type === 'ExternalName' || before.spec?.type === 'ExternalName';
  if (!isNamed) {
    if (!(isHeadless(service) && isHeadless(before))) validateAddressChange(service, before, report);
    if (!isHeadless(service) && !isHeadless(before)) validateFamilyChange(service, before, report);
  }
  const isBalanced = service.spec?.type === 'LoadBalancer' && before.spec?.type === 'LoadBalancer';
  const loadBalancerClass = service.spec?.loadBalancerClass;
  if (isBalanced && loadBalancerClass !== before.spec?.loadBalancerClass) {
    report.invalid(SPEC.child('loadBalancerClass'), loadBalancerClass ?? null, ONCE);
  }
  if (!needsHealthCheck(before) || !needsHealthCheck(service)) return;
  if (service.spec?.healthCheckNodePort === before.spec?.healthCheckNodePort) return;
  report.forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable');
}

function validateAddressChange(service: Service, before: Service, report: Report): void {
  const path = SPEC.child('clusterIPs');
  const ips = service.spec?.clusterIPs ?? [];
  const old = before.spec?.clusterIPs ?? [];
  if (ips.length === old.length) {
    for (const [at, ip] of old.entries()) if (ip !== ips[at]) report.invalid(path.index(at), ips, ONCE);
    return;
  }
  if (old.length > 0 && ips.length === 0) report.invalid(path.index(0), ips, 'primary clusterIP can not be unset');
  if (old.length > 0 && ips.length > 0 && ips[0] !== old[0]) report.invalid(path.index(0), ips, ONCE);
  if (old.length > ips.length && ips.length === 1) requireSingleStack(service, 'clusterIP', report);
}

function validateFamilyChange(service: Service, before: Service, report: Report): void {
  const path = SPEC.child('ipFamilies');
  const families = service.spec?.ipFamilies ?? [];
  const old = before.spec?.ipFamilies ?? [];
  if (families.length === old.length) {
    for (const [at, family] of old.entries()) {
      if (family !== families[at]) report.invalid(path.index(0), families, ONCE);
    }
    return;
  }
  const ips = service.spec?.clusterIPs ?? [];
  if (old.length > families.length && ips.length === 0) {
    report.invalid(path.index(0), families, 'primary ipFamily can not be unset');
  }
  if (old.length > 0 && families.length > 0 && families[0] !== old[0]) report.invalid(path.index(0), ips, ONCE);
  if (old.length > families.length && families.length === 1) requireSingleStack(service, 'ipFamily', report);
}

function requireSingleStack(service: Service, what: string, report: Report): void {
  const policy = service.spec?.ipFamilyPolicy;
  if (policy === 'SingleStack') return;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  report.invalid(SPEC.child('ipFamilyPolicy'), policy ?? null, detail);
}
