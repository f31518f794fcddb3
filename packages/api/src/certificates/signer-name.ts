import { names } from '@binnacle/machinery';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const DOMAIN_BYTES_MAX = 253;
/** A domain, a slash, a label and a dot and a subdomain. */
const SIGNER_BYTES_MAX = DOMAIN_BYTES_MAX + 1 + (253 + 63 + 1);

/** `example.com/signer-name` */
export function validateSignerName(name: string | undefined, path: FieldPath, report: Report): void {
  if (!name) return report.required(path);
  const [domain = '', own = '', ...more] = name.split('/', 3);
  if (!name.includes('/') || more.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return report.invalid(path, name, detail);
  }
  if (domain.length > DOMAIN_BYTES_MAX) report.tooLong(path, DOMAIN_BYTES_MAX);
  validateSegment(domain, names.dnsLabelErrors, { path, report });
  if (!domain.includes('.')) {
    report.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  }
  validateSegment(own, names.subdomainErrors, { path, report });
  if (name.length > SIGNER_BYTES_MAX) report.tooLong(path, SIGNER_BYTES_MAX);
  return undefined;
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

/** The first part between dots that is wrong is told. */
function validateSegment(segment: string, check: (label: string) => string[], { path, report }: Place): void {
  for (const label of segment.split('.')) {
    const errors = check(label);
    for (const error of errors) report.invalid(path, segment, `validating label ${JSON.stringify(label)}: ${error}`);
    if (errors.length > 0) return;
  }
}
