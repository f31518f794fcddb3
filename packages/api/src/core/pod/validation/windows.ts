import { names } from '@binnacle/machinery';
import type { WindowsSecurityContextOptions } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';

const SPEC_KIB_MAX = 64;
const DOMAIN_LENGTH_MAX = 256;
const USER_LENGTH_MAX = 104;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

export function validateWindowsOptions(options: WindowsSecurityContextOptions, path: FieldPath, report: Report): void {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    const errors = names.subdomainErrors(gmsaCredentialSpecName);
    report.invalidEach(path.child('gmsaCredentialSpecName'), gmsaCredentialSpecName, errors);
  }
  if (gmsaCredentialSpec !== undefined) {
    const length = gmsaCredentialSpec.length;
    const specPath = path.child('gmsaCredentialSpec');
    if (length === 0) report.invalid(specPath, '', 'gmsaCredentialSpec cannot be an empty string');
    else if (length > SPEC_KIB_MAX * 1024) {
      report.invalid(specPath, gmsaCredentialSpec, `gmsaCredentialSpec size must be under ${SPEC_KIB_MAX} KiB`);
    }
  }
  if (runAsUserName !== undefined) {
    report.invalidEach(path.child('runAsUserName'), runAsUserName, userNameErrors(runAsUserName));
  }
}

/** `user` or `DOMAIN\user`. */
function userNameErrors(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainErrors(parts[0] ?? '') : []), ...userErrors(user)];
}

function domainErrors(domain: string): string[] {
  const errors: string[] = [];
  if (domain.length >= DOMAIN_LENGTH_MAX) {
    errors.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH_MAX} characters`);
  }
  if (!NET_BIOS.test(domain) && !DNS_DOMAIN.test(domain)) {
    errors.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return errors;
}

function userErrors(user: string): string[] {
  const errors: string[] = [];
  if (user === '') errors.push("runAsUserName's User cannot be empty");
  else if (user.length > USER_LENGTH_MAX) {
    errors.push(`runAsUserName's User length must not be longer than ${USER_LENGTH_MAX} characters`);
  }
  if (/^[. ]+$/.test(user)) errors.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    errors.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return errors;
}
