import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

/** The option of the control plane that `--kubelet-certificate-authority` stands for; empty without the flag. */
export function readKubeletCa(path: string | undefined): { readonly kubeletCa?: string } {
  return path === undefined ? {} : { kubeletCa: readCertificates('--kubelet-certificate-authority', path) };
}

/** Certificates in PEM that a flag names. Throws UsageError with the flag where there is none. */
export function readCertificates(flag: string, path: string): string {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${path}`, error);
  }
  try {
    assertCertificate(pem);
    return pem;
  } catch (error) {
    throw new UsageError(`${flag}: ${path} holds no certificate in PEM`, error);
  }
}

function assertCertificate(pem: string): void {
  void new X509Certificate(pem);
}
