import { names } from '@binnacle/machinery';
import { validateDriverName } from '../storage/driver-name.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const POOL_NAME_BYTES_MAX = 253;
const IDENTIFIER_BYTES_MAX = 32;
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name of a request, a device or a set of counters. */
export function validateLabelledName(name: string, path: FieldPath, report: Report): void {
  report.invalidEach(path, name, names.dnsLabelErrors(name));
}

/** Domains, one or more, between slashes. */
export function validatePoolName(name: string, path: FieldPath, report: Report): void {
  if (name === '') return report.required(path);
  if (name.length > POOL_NAME_BYTES_MAX) report.tooLong(path, POOL_NAME_BYTES_MAX);
  for (const part of name.split('/')) report.invalidEach(path, part, names.subdomainErrors(part));
  return undefined;
}

/** An identifier of C, perhaps behind its domain. */
export function validateQualifiedName(name: string, path: FieldPath, report: Report): void {
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return validateIdentifier(first, path, report);
  // More than one slash is let pass, as upstream does.
  if (parts.length > 2) return undefined;
  if (first === '') report.invalid(path, '', 'the domain must not be empty');
  else validateDriverName(first, path, report);
  if (second === '') report.invalid(path, '', 'the name must not be empty');
  else validateIdentifier(second, path, report);
  return undefined;
}

/** The same with its domain. */
export function validateFullName(name: string, path: FieldPath, report: Report): void {
  validateQualifiedName(name, path, report);
  if (!name.includes('/')) {
    report.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash');
  }
}

function validateIdentifier(id: string, path: FieldPath, report: Report): void {
  if (id.length > IDENTIFIER_BYTES_MAX) report.tooLong(path, IDENTIFIER_BYTES_MAX);
  report.invalidEach(path, id, names.cIdentifierErrors(id));
}

/** Of a share of a device; absent: none. */
export function validateShareId(id: string | undefined, path: FieldPath, report: Report): void {
  if (id === undefined || UID.test(id)) return;
  report.invalid(
    path,
    id,
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
  );
}
