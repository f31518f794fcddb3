import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';

/** The option of the control plane that `--kubelet-certificate-authority` stands for; empty without the flag. */
export function readKubeletCa(path: string | undefined): { readonly kubeletCa?: string } {
  if (path === undefined) return {};
  let kubeletCa: string;
  try {
    kubeletCa = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--kubelet-certificate-authority: cannot read ${path}`, error);
  }
  try {
    assertCertificate(kubeletCa);
    return { kubeletCa };
  } catch (error) {
    throw new UsageError(`--kubelet-certificate-authority: ${path} holds no certificate in PEM`, error);
  }
}

function assertCertificate(pem: string): void {
  void new X509Certificate(pem);
}
