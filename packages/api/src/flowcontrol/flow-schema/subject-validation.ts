import { names } from '@binnacle/machinery';
import type { ServiceAccountSubject, Subject } from '../../generated/flowcontrol-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

const KINDS = ['Group', 'ServiceAccount', 'User'];
/** The field of each kind. */
const FIELDS: readonly (readonly [kind: string, field: 'serviceAccount' | 'user' | 'group'])[] = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
];

/** Whom a rule is about: one field is set, that of the kind. */
export function validateSubject(subject: Subject, path: FieldPath, report: Report): void {
  const { kind } = subject;
  if (!KINDS.includes(kind)) return report.unsupported(path.child('kind'), kind, KINDS);
  for (const [of, field] of FIELDS) {
    if (kind === of) validateName(subject, field, { path: path.child(field), report });
  }
  for (const [of, field] of FIELDS) {
    if (kind === of || subject[field] === undefined) continue;
    report.forbidden(path.child(field), `${field} is forbidden when subject kind is not '${of}'`);
  }
  return undefined;
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

function validateName(subject: Subject, field: 'serviceAccount' | 'user' | 'group', { path, report }: Place): void {
  const given = subject[field];
  if (given === undefined) return report.required(path, `${field} is required when subject kind is '${subject.kind}'`);
  if (field === 'serviceAccount') return validateAccount(given as ServiceAccountSubject, path, report);
  if (!given.name) report.required(path.child('name'));
  return undefined;
}

function validateAccount({ name, namespace }: ServiceAccountSubject, path: FieldPath, report: Report): void {
  if (!name) report.required(path.child('name'));
  else if (name !== '*') report.invalidEach(path.child('name'), name, names.subdomainErrors(name));
  if (!namespace) report.required(path.child('namespace'), 'must specify namespace for service account');
  else report.invalidEach(path.child('namespace'), namespace, names.dnsLabelErrors(namespace));
}
