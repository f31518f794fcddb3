import { names } from '@binnacle/machinery';
import type { FieldPath } from './path.ts';
import type { Report } from './report.ts';

const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const PATH_TEXT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** A name that belongs to a domain: `example.com/controller`. */
export function validateDomainPath(value: string, path: FieldPath, report: Report): void {
  if (value === '') return report.required(path);
  const slash = value.indexOf('/');
  const domain = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  if (slash <= 0 || rest === '') {
    return report.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  report.invalidEach(path, domain, names.subdomainErrors(domain));
  if (PATH.test(rest)) return undefined;
  return report.invalid(path, rest, `Invalid path (regex used for validation is '${PATH_TEXT}')`);
}
