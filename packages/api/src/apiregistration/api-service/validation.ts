import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { APIService, APIServiceStatus } from '../../generated/apiregistration-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';

const SPEC = fieldPath('spec');
const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const STATUSES = ['True', 'False', 'Unknown'];

export function validateApiService(service: APIService): FieldError[] {
  const report = new Report();
  const { group = '', version = '' } = service.spec;
  const wanted = `${version}.${group}`;
  if (service.metadata.name !== wanted) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
    report.invalid(fieldPath('metadata', 'name'), service.metadata.name ?? '', detail);
  }
  if (group === '' && version !== 'v1') {
    report.required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube');
  }
  if (group !== '') report.invalidEach(SPEC.child('group'), group, names.subdomainErrors(group));
  report.invalidEach(SPEC.child('version'), version, names.dns1035LabelErrors(version));
  validatePriorities(service, report);
  validateBackend(service, report);
  return report.errors;
}

export function validateApiServiceStatusUpdate({ status }: APIService): FieldError[] {
  const report = new Report();
  validateStatus(status, report);
  return report.errors;
}

function validatePriorities({ spec }: APIService, report: Report): void {
  const [group, version] = [spec.groupPriorityMinimum ?? 0, spec.versionPriority ?? 0];
  if (group <= 0 || group > GROUP_PRIORITY_MAX) {
    report.invalid(SPEC.child('groupPriorityMinimum'), group, `must be positive and less than ${GROUP_PRIORITY_MAX}`);
  }
  if (version <= 0 || version > VERSION_PRIORITY_MAX) {
    report.invalid(SPEC.child('versionPriority'), version, `must be positive and less than ${VERSION_PRIORITY_MAX}`);
  }
}

function validateBackend({ spec }: APIService, report: Report): void {
  const { service, caBundle = '', insecureSkipTLSVerify: insecure = false } = spec;
  if (!service) {
    const bytes = Math.floor((caBundle.replace(/=+$/, '').length * 3) / 4);
    if (caBundle) report.invalid(SPEC.child('caBundle'), `${bytes} bytes`, 'local APIServices may not have a caBundle');
    if (insecure) {
      const detail = 'local APIServices may not have insecureSkipTLSVerify';
      report.invalid(SPEC.child('insecureSkipTLSVerify'), insecure, detail);
    }
    return;
  }
  if (!service.namespace) report.required(SPEC.child('service').child('namespace'));
  if (!service.name) report.required(SPEC.child('service').child('name'));
  report.invalidEach(SPEC.child('service').child('port'), service.port, names.portNumberErrors(service.port ?? 0));
  if (insecure && caBundle) {
    report.invalid(SPEC.child('insecureSkipTLSVerify'), insecure, 'may not be true if caBundle is present');
  }
}

function validateStatus(status: APIServiceStatus | undefined, report: Report): void {
  for (const [at, condition] of (status?.conditions ?? []).entries()) {
    const value = condition.status ?? '';
    if (STATUSES.includes(value)) continue;
    report.unsupported(fieldPath('status', 'conditions').index(at).child('status'), value, STATUSES);
  }
}
