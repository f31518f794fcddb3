import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from './test-folder.ts';

/** PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Who signs a certificate, and by what: SHA-256 where that is not said. Without a certificate itself. */
export interface TestIssuer extends Partial<TestCertificate> {
  readonly digest?: 'sha1';
}

/**
 * A certificate made by openssl, its own authority unless an issuer signs it. `names`: `IP:127.0.0.1`,
 * `DNS:web.default.svc`; none: no SAN.
 */
export function makeTestCertificate(
  names: readonly string[],
  subject = '/CN=test',
  issuer: TestIssuer = {},
): TestCertificate {
  const { path: folder, remove } = makeTestFolder();
  try {
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const alternatives = names.length === 0 ? [] : ['-addext', `subjectAltName=${names.join(',')}`];
    const files = ['-out', certFile, '-keyout', keyFile];
    const digest = issuer.digest === undefined ? [] : [`-${issuer.digest}`];
    const signing = [...digest, ...signedBy(issuer, folder)];
    execFileSync('openssl', [...make, '-subj', subject, ...alternatives, ...signing, ...files], { stdio: 'ignore' });
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    remove();
  }
}

function signedBy({ cert, key }: TestIssuer, folder: string): readonly string[] {
  if (cert === undefined || key === undefined) return [];
  const [certFile, keyFile] = [join(folder, 'issuer.pem'), join(folder, 'issuer-key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  return ['-CA', certFile, '-CAkey', keyFile, '-addext', 'basicConstraints=critical,CA:FALSE'];
}
