import type { FieldError } from '@binnacle/machinery';
import { decodeBase64Text } from '../../core/secret/base64.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  KeyUsage,
} from '../../generated/certificates-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateSignerName } from '../signer-name.ts';

const SPEC = fieldPath('spec');
const CONDITIONS = fieldPath('status', 'conditions');
const BEGIN = '-----BEGIN ';
const SECONDS_MIN = 600;
/** Conditions that cannot be taken back. */
const FINAL = ['Approved', 'Denied', 'Failed'];
const STATUSES = ['False', 'True', 'Unknown'];
const USAGES: readonly KeyUsage[] = [
  ...(['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign'] as const),
  ...(['data encipherment', 'decipher only', 'digital signature', 'email protection', 'encipher only'] as const),
  ...([
    'ipsec end system',
    'ipsec tunnel',
    'ipsec user',
    'key agreement',
    'key encipherment',
    'microsoft sgc',
  ] as const),
  ...(['netscape sgc', 'ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping'] as const),
];

/** The request's signature is looked at by whoever knows certificates. */
export function validateSigningRequest(request: CertificateSigningRequest): FieldError[] {
  const report = new Report();
  const { spec } = request;
  const body = decodeBase64Text(spec.request ?? '');
  if (!isPemRequest(body)) {
    report.invalid(SPEC.child('request'), spec.request ?? '', 'PEM block type must be CERTIFICATE REQUEST');
  }
  validateUsages(spec.usages ?? [], SPEC.child('usages'), report);
  validateSignerName(spec.signerName, SPEC.child('signerName'), report);
  const seconds = spec.expirationSeconds;
  if (seconds !== undefined && seconds < SECONDS_MIN) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    report.invalid(SPEC.child('expirationSeconds'), seconds, detail);
  }
  validateConditions(request.status?.conditions ?? [], report);
  return report.errors;
}

/** What was approved, denied or failed stays so. */
export function validateSigningRequestUpdate(
  request: CertificateSigningRequest,
  before: CertificateSigningRequest,
): FieldError[] {
  const report = new Report();
  report.addAll(validateSigningRequest(request));
  const now = new Set((request.status?.conditions ?? []).map(({ type }) => type));
  for (const { type } of before.status?.conditions ?? []) {
    if (!FINAL.includes(type) || now.has(type)) continue;
    report.forbidden(CONDITIONS, `updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
  return report.errors;
}

/** The first block of PEM asks for a certificate. What stands before it is let pass. */
function isPemRequest(text: string): boolean {
  const at = text.indexOf(BEGIN);
  return at !== -1 && text.startsWith('CERTIFICATE REQUEST-----', at + BEGIN.length);
}

function validateUsages(usages: readonly string[], path: FieldPath, report: Report): void {
  if (usages.length === 0) return report.required(path);
  const seen = new Set<string>();
  for (const [at, usage] of usages.entries()) {
    if (!USAGES.some((known) => known === usage)) report.unsupported(path.index(at), usage, USAGES);
    if (seen.has(usage)) report.duplicate(path.index(at), usage);
    seen.add(usage);
  }
  return undefined;
}

function validateConditions(conditions: readonly CertificateSigningRequestCondition[], report: Report): void {
  const seen = new Set<string>();
  for (const [at, { type, status }] of conditions.entries()) {
    const here = CONDITIONS.index(at);
    if (!type) report.required(here.child('type'));
    if (!status) report.required(here.child('status'));
    else if (FINAL.includes(type) && status !== 'True') report.unsupported(here.child('status'), status, ['True']);
    else if (!STATUSES.includes(status)) report.unsupported(here.child('status'), status, STATUSES);
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (other !== undefined && seen.has(other)) {
      report.invalid(here.child('type'), type, 'Approved and Denied conditions are mutually exclusive');
    }
    if (seen.has(type)) report.duplicate(here.child('type'), type);
    seen.add(type);
  }
}
